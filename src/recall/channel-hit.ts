/** A chunk that a channel brought. */
export interface ChannelHit {
  readonly chunkId: number
  readonly score: number
}
