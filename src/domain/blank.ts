/** What can be seen: no white space, no control, nothing that shows nothing (zero width, joiners, fillers, marks of direction, the blank of Braille). */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether there is nothing to see in a text. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text)
}
