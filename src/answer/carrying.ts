import type { Analyser } from '../domain/analysis/analyser.ts'
import { sentencesAround } from '../domain/analysis/sentences.ts'
import { wordRuns } from '../domain/analysis/words.ts'
import type { Located } from './cite.ts'

/** Denial, doubt, condition, hearsay: leaving one out turns a sentence round. Kept though they are stop words. */
const TURNING = new Set(
  [
    'no not never none nobody nothing neither nor without cannot hardly barely',
    'if unless might may could would should maybe perhaps probably possibly supposedly allegedly reportedly',
    'false untrue wrong deny denies denied refuse refuses refused fail fails failed pretend pretends pretended',
    'say says said claim claims claimed think thinks thought believe believes believed guess hope hopes hoped dream dreamt dreamed',
    'plan plans planned want wants wanted wish wishes intend intends intended try tries tried almost nearly until before ignore',
    'or either except only when whenever once provided assuming rarely seldom',
    'oder entweder außer nur eller ou sauf sólo salvo oppure или кроме только',
    'nicht kein keine keinen keiner nie niemals ohne wenn falls vielleicht könnte würde soll sollte angeblich',
    'ne pas jamais aucun aucune sans si peut-être nunca jamás ningún ninguna sin tal vez quizás',
    'non mai nessuno senza se forse não nem sem talvez niet geen nooit zonder als misschien inte aldrig utan om kanske',
    'не нет никогда без если может',
  ].flatMap((line) => line.split(' ')),
)
/** Whom a sentence is about changes with these. */
const PERSONS = new Set(
  'i me my mine myself we us our ours you your yours he him his she her hers they them their theirs'.split(
    ' ',
  ),
)
/**
 * English words that may be left out or put in. No other stop word may: "from" is not "to", "or" not "and", "by" not "for", what "will" be done is
 * not done.
 */
const EMPTY = new Set(['a', 'an', 'the', 'and', 'of', 'that'])
/** Forms that say the same: what was is told apart from what is. */
const AUXILIARIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ am: 'is', are: 'is', were: 'was', has: 'have', does: 'do' },
    ...{ "'m": 'is', "'re": 'is', "'s": 'is', "'ve": 'have', "'ll": 'will', "'d": '=would' },
    ...{ ca: 'can', wo: 'will', sha: 'shall' },
  }),
)
const SELF = new Set(['=i', '=we', '=my', '=our', '=me', '=us'])

/**
 * The citations whose own sentence of memory says what a sentence of an answer says, so plainly that no model needs to judge it: the words of the
 * one (inflection, articles, "and", "of", "that" aside) are the beginning of the other, in
 * the same order with nothing left out between, and what follows in memory neither denies nor doubts. Only for quotes that were met word for word.
 */
export function carrying(
  sentence: string,
  located: readonly Located[],
  analyser: Analyser,
): readonly Located[] {
  return located.filter(({ citation, evidence }) => {
    if (citation.match !== 'exact') return false
    const { start, end } = sentencesAround(evidence.text, citation.inChunk.start, citation.inChunk.end)
    const speaker = evidence.speaker === null ? [] : weighty(evidence.speaker, analyser)
    const [said, bySpeaker] = withoutSpeaker(weighty(sentence, analyser), speaker)
    const [stored] = withoutSpeaker(weighty(evidence.text.slice(start, end), analyser), speaker)
    // "Ana: I moved" says "Ana moved"
    const own = bySpeaker && SELF.has(stored[0] ?? '') ? stored.slice(1) : stored
    if (said.length === 0 || said.length > own.length) return false
    if (!said.every((word, i) => own[i] === word)) return false
    return own.slice(said.length).every((word) => !word.startsWith('='))
  })
}

/** The words that count, in order: stems, English function words by their form, and turning words and persons as they are, marked. */
function weighty(text: string, analyser: Analyser): string[] {
  return [...wordRuns(text, false)].flatMap(({ 0: word }) => {
    const plain = word.toLowerCase().replaceAll(/[’ʼ]/g, "'")
    if (plain.endsWith("n't")) return [...formOf(plain.slice(0, -3)), '=not']
    const at = plain.indexOf("'")
    const before = at < 0 ? plain : plain.slice(0, at)
    const contracted = at < 0 ? [] : formOf(plain.slice(at))
    if (TURNING.has(plain) || PERSONS.has(plain)) return [`=${plain}`]
    if (at >= 0 && PERSONS.has(before)) return [`=${before}`, ...contracted]
    // a list of stop words may hold a denial; the English ones are known above
    if (analyser.language !== 'english') return [plain]
    const terms = analyser.terms(word)
    if (terms.length === 0) return EMPTY.has(plain) ? [] : formOf(plain)
    // of a name it is more often whose than what is
    return plain.slice(at) === "'s" ? terms : [...terms, ...contracted]
  })
}

function formOf(word: string): readonly string[] {
  return [AUXILIARIES.get(word) ?? word]
}

function withoutSpeaker(
  words: readonly string[],
  speaker: readonly string[],
): readonly [readonly string[], boolean] {
  const begins = speaker.length > 0 && speaker.every((word, i) => words[i] === word)
  return [begins ? words.slice(speaker.length) : words, begins]
}
