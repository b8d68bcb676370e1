import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OWN_KEY_VARIABLES } from '../../src/config/provider-keys.ts'
import { environmentName, SETTING_NAMES, SETTINGS } from '../../src/config/settings.ts'
import { documentsIn, namesIn, tableRows } from '../support/doc-tables.ts'
import { ROOT, textOf } from './imports.ts'

test('docs/features.md names each promise once, by tests, documents and commands that exist', () => {
  const rows = tableRows(textOf('docs/features.md'), 'id')
  const ids = rows.map(([id]) => id)
  expect(ids).toEqual([...new Set(ids)])
  expect(ids.filter((id) => !/^[PRGN]\d+$/.test(id ?? ''))).toEqual([])
  const commands = commandsOfReference()
  const scripts: object = JSON.parse(textOf('package.json')).scripts
  const wrong = rows.flatMap(([id, , how]) =>
    namesIn(how).flatMap((command) => {
      const known = /^vitest ((?:[a-z][\w./-]+ ?)+)(-t "[^"]+")?$/.test(command)
        ? [...command.matchAll(/ ((?:src|test)\/\S+)/g)].every(([, path]) => existsSync(join(ROOT, path!)))
        : commands.some((name) => command.replace(/^[A-Z_]+=\S+ /, '').startsWith(`prolepsis ${name}`)) ||
          (/^npm run (\w+)/.exec(command)?.[1] ?? '') in scripts ||
          command === 'DATABASE_URL'
      return known ? [] : [`${id}: ${command}`]
    }),
  )
  expect(wrong).toEqual([])
  // a name that -t asks for is that of a test
  for (const [, , how] of rows) {
    for (const [, files, name] of (how ?? '').matchAll(/`vitest ([^`"]+) -t "([^"]+)"`/g)) {
      expect(
        files!.split(' ').some((file) => textOf(file).includes(name!)),
        name,
      ).toBe(true)
    }
  }
})

test('every command and every setting that a document names exists', () => {
  const commands = commandsOfReference()
  const variables = [
    ...SETTING_NAMES.map(environmentName),
    ...Object.values(OWN_KEY_VARIABLES),
    'PROLEPSIS_DEBUG',
  ]
  const wrong = ['README.md', 'CHANGELOG.md', ...documentsIn('docs')].flatMap((document) => {
    const code = [...textOf(document).matchAll(/```sh\n([\s\S]*?)```|`([^`\n]+)`/g)]
      .map((match) => match[1] ?? match[2]!)
      .join('\n')
    const named = [...code.matchAll(/\bprolepsis ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)].map(
      (match) => match[1]!,
    )
    const unknown = named.filter(
      (name) => !commands.some((one) => one === name || one === name.split(' ')[0]),
    )
    const asked = [...code.matchAll(/\bPROLEPSIS_[A-Z_]*[A-Z]/g)].map((match) => match[0])
    return [...unknown, ...asked.filter((name) => !variables.includes(name))].map(
      (name) => `${document}: ${name}`,
    )
  })
  expect(wrong).toEqual([])
  const keys = SETTING_NAMES.map((name) => SETTINGS[name].key)
  const inErrors = namesIn(textOf('docs/errors.md')).filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name))
  expect(inErrors.filter((name) => !keys.includes(name))).toEqual([])
})

test('docs/architecture.md names every table of the schema, and no other', () => {
  const schema = readdirSync(join(ROOT, 'migrations'))
    .map((name) => textOf(`migrations/${name}`))
    .join('\n')
  const made = [...schema.matchAll(/^create table (\w+)/gm)].map((match) => match[1]!)
  const named = tableRows(textOf('docs/architecture.md'), 'table').flatMap(([cell]) => namesIn(cell))
  expect(named.filter((name) => !/^(vectors|bits)_N$/.test(name)).sort()).toEqual(made.sort())
})

test('links between the documents lead somewhere', () => {
  const broken = ['README.md', 'CONTRIBUTING.md', ...documentsIn('docs'), 'docs/decisions/README.md'].flatMap(
    (document) =>
      [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)].flatMap(
        ([whole, path, anchor]) => {
          const target = path === '' ? document : join(document, '..', path!)
          if (!existsSync(join(ROOT, target))) return [`${document}: ${whole}`]
          if (anchor === undefined) return []
          return anchorsOf(textOf(target)).includes(anchor.slice(1)) ? [] : [`${document}: ${whole}`]
        },
      ),
  )
  expect(broken).toEqual([])
})

function commandsOfReference(): string[] {
  const reference = textOf('docs/cli.md')
  return [...reference.matchAll(/^## (.+)$/gm), ...reference.matchAll(/Also: `(.+?)`/g)].map(
    (match) => match[1]!,
  )
}

/** The anchors that headings get where the documents are shown. */
function anchorsOf(document: string): string[] {
  return [...document.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
