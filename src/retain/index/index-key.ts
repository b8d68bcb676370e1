/** Metadata key by which documents that came from a folder are known, so that only those are pruned. Its value tells folders apart. */
export const INDEX_KEY = 'indexedFrom'
