/** Names that say a part in a conversation, not a person. */
const ROLE_NAMES: ReadonlySet<string> = new Set(
  'user assistant system tool human ai bot model agent developer function customer support unknown me you'.split(
    ' ',
  ),
)

export function isRoleName(name: string): boolean {
  return ROLE_NAMES.has(name.trim().toLowerCase())
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:[-'’.][\p{L}\p{M}\p{N}]+)*/gu
/** Names that are also everyday words: they count only when written with a capital. */
const EVERYDAY: ReadonlySet<string> = new Set(
  `will may mark hope grace rose faith joy art bill sue pat rich drew chase dawn june april august summer autumn june an
  jack rob nick max gene ray guy dean victor ivy iris lily daisy olive ruby amber crystal jade pearl bob don
  frank grant miles chance christian penny page carol jean stone young long black white brown green king
  price bush may love angel star sky sandy misty robin jay wren hunter mason cooper taylor baker page wade cliff
  heath ford lane glen dale reed cash buck chip skip herb basil sage ginger candy honey precious destiny i in is it a`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Finds known names in a text. */
export type NameFinder = (text: string) => string[]

/**
 * Makes a finder for known people: whole words in any case, possessives too; everyday words (`Will`, `May`) only with a capital. A
 * name of several words is found whole, or by its first word when no other known name shares it. Gives the names as
 * they were known, in the order of `names`, each once. Time: linear in the text, whatever the number of names.
 */
export function createNameFinder(names: readonly string[]): NameFinder {
  const distinct = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
  const byFirst = new Map<
    string,
    { readonly name: string; readonly words: readonly string[]; readonly order: number }[]
  >()
  for (const [order, name] of distinct.entries()) {
    const words = wordsOf(name).map((word) => word.toLowerCase())
    const [first] = words
    if (first === undefined) continue
    const entry = { name, words, order }
    const sharing = byFirst.get(first)
    if (sharing === undefined) byFirst.set(first, [entry])
    else sharing.push(entry)
  }
  return (text) => {
    const found = new Map<number, string>()
    const words = wordsOf(text)
    for (const [at, word] of words.entries()) {
      const lower = word.toLowerCase()
      const candidates = byFirst.get(lower)
      if (candidates === undefined) continue
      if (EVERYDAY.has(lower) && word === lower) continue
      const whole = candidates.filter((candidate) =>
        candidate.words.every((part, i) => words[at + i]?.toLowerCase() === part),
      )
      // the longest name that stands here; else the only one that begins so
      const longest = Math.max(0, ...whole.map((candidate) => candidate.words.length))
      const chosen =
        longest > 0
          ? whole.filter((candidate) => candidate.words.length === longest)
          : candidates.length === 1
            ? candidates
            : []
      for (const { order, name } of chosen) found.set(order, name)
    }
    return [...found].sort(([a], [b]) => a - b).map(([, name]) => name)
  }
}

/** A name that is longer is nobody's, and not looked for. */
export const MAX_NAME_LENGTH = 200

/**
 * A text without the given names and their possessive endings: `What is Ann's plan?` without `Ann` → `What is plan?`. The text itself when
 * nothing else would be left.
 */
export function withoutNames(text: string, names: readonly string[]): string {
  const lower = text.toLowerCase()
  const literals = names
    .map((name) => name.trim())
    // those that stand here, and no endless one: a pattern of all that a bank knows would be too large to compile
    .filter((name) => name !== '' && name.length <= MAX_NAME_LENGTH && lower.includes(name.toLowerCase()))
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (literals.length === 0) return text
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${literals.join('|')})(?:['’]s)?(?![\\p{L}\\p{N}])\\s*`,
    'giu',
  )
  const left = text.replace(pattern, '').replace(/\s+/gu, ' ').trim()
  return /[\p{L}\p{N}]/u.test(left) ? left : text
}

/** Words of a text, NFKC, without possessive endings. */
function wordsOf(text: string): string[] {
  return (text.normalize('NFKC').match(WORD) ?? []).map((word) => word.replace(/['’]s$/i, ''))
}

const NAME_PART = "\\p{Lu}[\\p{Ll}\\p{M}]+(?:[-'’]\\p{Lu}[\\p{Ll}\\p{M}]+)*"
const FULL_NAME = `${NAME_PART}(?: \\p{Lu}\\.)?(?: (?:van|von|de|da|del|di|der|den|bin|al|la|le|dos|du))*(?: ${NAME_PART}){1,2}`
const AFTER_TITLE = new RegExp(
  `(?<![\\p{L}])(?:Mr|Mrs|Ms|Dr|Prof|Professor|Sir|Herr|Frau|Señor|Señora|Monsieur|Madame)\\.? (${NAME_PART}(?: ${NAME_PART})?)`,
  'gu',
)
const BEFORE_SPEECH = new RegExp(
  `(?<![\\p{L}])(${FULL_NAME})(?= (?:said|says|told|tells|asked|asks|wrote|writes|replied|replies|thinks|thought|suggested|suggests|joined|lives|works|was born|died)(?![\\p{L}]))`,
  'gu',
)
const AFTER_KINSHIP = new RegExp(
  `(?<![\\p{L}])(?:friend|brother|sister|mother|father|mom|mum|dad|son|daughter|wife|husband|uncle|aunt|cousin|nephew|niece|boss|colleague|coworker|neighbou?r|teacher|coach|roommate|partner|girlfriend|boyfriend|grandmother|grandfather|named|author|written by),? (${NAME_PART}(?: ${NAME_PART})?)`,
  'gu',
)

/**
 * People that a text itself gives away: after a title, before a verb of speech (full names only), after a word of
 * kinship or `named`. A capital alone proves nothing: headings, sentence starts and places have it too. Names in order,
 * each once.
 */
export function findPeople(text: string): string[] {
  const found = new Set<string>()
  for (const pattern of [AFTER_TITLE, BEFORE_SPEECH, AFTER_KINSHIP]) {
    for (const match of text.matchAll(pattern)) {
      const name = match[1]
      if (name !== undefined) found.add(name)
    }
  }
  return [...found]
}
