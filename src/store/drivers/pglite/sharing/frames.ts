import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

// A COPY piece is 4 MB and a result some MB at most; past this the stream is not ours.
const MAX_FRAME_BYTES = 512 * 1024 * 1024

/** Messages over a socket: four bytes of length, then what v8 serialised. Trusted ends only: see the nonce. */
export function sendFrame(socket: Socket, message: unknown): void {
  const body = serialize(message)
  const head = Buffer.allocUnsafe(4)
  head.writeUInt32BE(body.length)
  socket.cork()
  socket.write(head)
  socket.write(body)
  socket.uncork()
}

/** Collects the chunks of a stream into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0
  #needed = 4
  #inBody = false

  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#chunks = all.length > count ? [all.subarray(count)] : []
    this.#length = all.length - count
    return all.subarray(0, count)
  }

  /** The messages that this chunk completes. @throws RangeError for an absurd length. */
  *push(chunk: Buffer): Generator<unknown> {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= this.#needed) {
      const bytes = this.#take(this.#needed)
      if (this.#inBody) {
        this.#inBody = false
        this.#needed = 4
        yield deserialize(bytes)
      } else {
        this.#needed = bytes.readUInt32BE(0)
        if (this.#needed > MAX_FRAME_BYTES)
          throw new RangeError(`A frame of ${this.#needed} bytes is too long.`)
        this.#inBody = true
      }
    }
  }
}
