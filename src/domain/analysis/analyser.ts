/** Contract of text analysis: the same terms at retain and at recall. Implemented in this folder. */
export interface Analyser {
  readonly language: string
  /** Terms in order, repetitions kept, stop words gone, folded and stemmed; CJK as character bigrams. */
  terms(text: string): string[]
}
