import type { Filter } from '../../domain/filter.ts'
import { trustRank } from '../../domain/trust.ts'
import { entityNorm } from './entity-norm.ts'
import type { Parameters } from './parameters.ts'

/**
 * Renders a filter to a predicate on `chunks c` and `documents d` of bank `$1`; every value is bound. An empty filter
 * means current documents.
 */
export function renderFilter(filter: Filter, parameters: Parameters): string {
  return [
    ...versionConditions(filter, parameters),
    ...tagConditions(filter.tags, parameters),
    ...documentConditions(filter, parameters),
    ...duringConditions(filter.during, parameters),
    ...peopleConditions(filter.people, parameters),
  ].join(' and ')
}

/** The part of a filter that concerns time, as a predicate on `chunks c` and `documents d`; `true` without one. */
export function renderDuring(during: Filter['during'], parameters: Parameters): string {
  const conditions = duringConditions(during, parameters)
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

/** True when the filter can hide no chunk of a current document. */
export function isUnfiltered(filter: Filter): boolean {
  const parameters: Parameters = { values: [], bind: () => '' }
  return filter.asOf === undefined && renderFilter(filter, parameters) === CURRENT
}

const CURRENT = `d.state = 'current'`

function versionConditions(filter: Filter, parameters: Parameters): string[] {
  if (filter.asOf === undefined) return [CURRENT]
  const asOf = `${parameters.bind(filter.asOf)}::timestamptz`
  return [`d.valid_from <= ${asOf}`, `(d.valid_to is null or d.valid_to > ${asOf})`]
}

function tagConditions(tags: Filter['tags'], parameters: Parameters): string[] {
  if (tags === undefined) return []
  const conditions: string[] = []
  const wanted: string[] = []
  if (tags.any !== undefined && tags.any.length > 0) {
    wanted.push(`d.tags && ${parameters.bind(tags.any)}::text[]`)
  }
  if (tags.all !== undefined && tags.all.length > 0) {
    wanted.push(`d.tags @> ${parameters.bind(tags.all)}::text[]`)
  }
  if (wanted.length > 0) {
    const all = wanted.join(' and ')
    conditions.push(tags.strict === true ? all : `(d.tags = '{}' or (${all}))`)
  }
  if (tags.none !== undefined && tags.none.length > 0) {
    conditions.push(`not d.tags && ${parameters.bind(tags.none)}::text[]`)
  }
  return conditions
}

function documentConditions(filter: Filter, parameters: Parameters): string[] {
  const conditions: string[] = []
  if (filter.where !== undefined && Object.keys(filter.where).length > 0) {
    conditions.push(`d.metadata @> ${parameters.bind(JSON.stringify(filter.where))}::text::jsonb`)
  }
  if (filter.source !== undefined && filter.source !== '') {
    conditions.push(`starts_with(d.source, ${parameters.bind(filter.source)})`)
  }
  const rank = filter.minTrust === undefined ? 0 : trustRank(filter.minTrust)
  if (rank > 0) conditions.push(`d.trust >= ${parameters.bind(rank)}`)
  return conditions
}

function duringConditions(during: Filter['during'], parameters: Parameters): string[] {
  const at = 'coalesce(c.occurred_at, d.occurred_at, d.retained_at)'
  const conditions: string[] = []
  if (during?.from !== undefined) conditions.push(`${at} >= ${parameters.bind(during.from)}::timestamptz`)
  if (during?.to !== undefined) conditions.push(`${at} < ${parameters.bind(during.to)}::timestamptz`)
  return conditions
}

function peopleConditions(people: Filter['people'], parameters: Parameters): string[] {
  if (people === undefined || people.length === 0) return []
  const norms = `${parameters.bind(people.map(entityNorm))}::text[]`
  return [
    `(c.chunk_id in (
       select m.chunk_id from mentions m where m.bank_id = $1 and m.entity_id in (
         select e.entity_id from entities e where e.bank_id = $1 and e.norm = any(${norms})
         union all
         select a.entity_id from entity_aliases a where a.bank_id = $1 and a.norm = any(${norms})))
      or lower(c.speaker) = any(${norms}))`,
  ]
}
