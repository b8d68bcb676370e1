/**
 * English function words. Short on purpose: words like `not`, `no`, `first` or `other` carry meaning in a question and
 * cost little, since rare terms outweigh them in BM25.
 */
export const ENGLISH_STOP_WORDS: readonly string[] =
  `a an and are as at be been being but by can could did do does for from had has have having he her hers him his
how i if in into is it its me my of on or our she should so than that the their them then there these they this
those to was we were what when where which who whom why will with would you your`.split(/\s+/)
