/** Writings that are told apart; Chinese and Japanese share characters and count as one. */
const SCRIPTS: readonly RegExp[] = [
  /\p{Script=Latin}/gu,
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Greek}/gu,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  /\p{Script=Hangul}/gu,
  /\p{Script=Arabic}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Devanagari}/gu,
  /\p{Script=Thai}/gu,
]
/** A text uses a writing when so large a share of its letters is of it: a foreign name does not make it so. */
const USED = 0.1

/** Whether most letters of `said` are of a writing that `text` hardly uses. */
export function hasForeignScript(said: string, text: string): boolean {
  const counts = SCRIPTS.map((script) => count(said, script))
  const most = counts.indexOf(Math.max(...counts))
  if (counts[most] === 0) return false
  const ofText = SCRIPTS.map((script) => count(text, script))
  const letters = ofText.reduce((sum, n) => sum + n, 0)
  return letters > 0 && ofText[most]! < USED * letters
}

function count(text: string, script: RegExp): number {
  return text.match(script)?.length ?? 0
}
