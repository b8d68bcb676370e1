import { MAX_NAME_LENGTH } from '../../domain/analysis/people.ts'

/**
 * English first and second person replaced by names, in one pass, so that a name is never replaced in turn. Grammar is kept
 * only as far as it costs nothing (`I'm` → `Ann is`): the result is matched, not read.
 */
const FIRST =
  "\\bI['’]m\\b|\\bI am\\b|\\bam I\\b|\\bdo I\\b|\\bI['’]ve\\b|\\bI have\\b|\\bI['’]ll\\b|\\bI['’]d\\b|\\bI\\b|\\b(?:myself|me|my|mine)\\b"
const SECOND =
  "\\byou['’]re\\b|\\byou are\\b|\\bare you\\b|\\bwere you\\b|\\bdo you\\b|\\bdon['’]t you\\b|\\byou['’]ve\\b|\\bhave you\\b|\\byou['’]ll\\b|\\byou['’]d\\b|\\b(?:yourself|yours?|you|ya)\\b"
const BOTH = new RegExp(`${FIRST}|${SECOND}`, 'gi')
const ONLY_FIRST = new RegExp(FIRST, 'gi')

const FORMS: Readonly<Record<string, readonly [person: 1 | 2, form: string]>> = {
  "i'm": [1, '% is'],
  'i am': [1, '% is'],
  'am i': [1, 'is %'],
  'do i': [1, 'does %'],
  "i've": [1, '% has'],
  'i have': [1, '% has'],
  "i'll": [1, '% will'],
  "i'd": [1, '% would'],
  i: [1, '%'],
  me: [1, '%'],
  myself: [1, '%'],
  my: [1, "%'s"],
  mine: [1, "%'s"],
  "you're": [2, '% is'],
  'you are': [2, '% is'],
  'are you': [2, 'is %'],
  'were you': [2, 'was %'],
  'do you': [2, 'does %'],
  "don't you": [2, "doesn't %"],
  "you've": [2, '% has'],
  'have you': [2, 'has %'],
  "you'll": [2, '% will'],
  "you'd": [2, '% would'],
  you: [2, '%'],
  ya: [2, '%'],
  yourself: [2, '%'],
  your: [2, "%'s"],
  yours: [2, "%'s"],
}

/**
 * `I'm proud of you` said by Ann to Bob → `Ann is proud of Bob`. The second person stays when nobody is known to be
 * addressed. A lone lower-case `i` is a numeral or a variable as often as a person, and stays.
 */
export function resolvePersons(text: string, speaker: string, addressee: string | null): string {
  return text.replace(addressee === null ? ONLY_FIRST : BOTH, (found) => {
    if (found === 'i') return found
    const form = FORMS[found.toLowerCase().replace('’', "'")]
    if (form === undefined) return found
    const name = form[0] === 1 ? speaker : addressee
    // a function, since a name may hold `$`
    return name === null ? found : form[1].replace('%', () => name)
  })
}

/**
 * Whom a turn is said to: the other one of two speakers; among more, whoever is addressed by name
 * (`Hey Bob, …`, `…, Bob?`, `@Bob`), else nobody known.
 */
export function addresseeOf(text: string, speaker: string, speakers: readonly string[]): string | null {
  const others = speakers.filter((name) => name !== speaker)
  if (others.length <= 1) return others[0] ?? null
  const addressed = others.filter((name) => isAddressed(text, name))
  return addressed.length === 1 ? (addressed[0] ?? null) : null
}

function isAddressed(text: string, name: string): boolean {
  // most are not even named; and an endless one is no pattern
  if (name.length > MAX_NAME_LENGTH || !text.toLowerCase().includes(name.toLowerCase())) return false
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(
    `@${literal}(?![\\p{L}\\p{N}])|(?:^|[.!?]\\s+|(?:^|\\s)(?:hey|hi|hello|thanks|thank you|yes|yeah|no|well|so|ok|okay|oh|wow),?\\s+)${literal}\\s*[,:!?]|,\\s*${literal}\\s*(?:[.!?]|$)`,
    'iu',
  ).test(text)
}
