import type { Clock, IdGenerator } from './ports.ts'

/**
 * UUID version 7 (RFC 9562): 48 bits of milliseconds, then randomness whose first 12 bits count up within a millisecond, so that ids
 * of one generator sort in the order in which they were made, even when the clock stands or steps back.
 *
 * @param randomBytes fills an array with random bytes
 */
export function createUuidGenerator(
  clock: Clock,
  randomBytes: (bytes: Uint8Array) => Uint8Array,
): IdGenerator {
  let lastTime = 0
  let counter = 0
  return {
    next() {
      const bytes = randomBytes(new Uint8Array(16))
      const now = clock.now()
      if (now > lastTime) {
        lastTime = now
        // the upper half stays free for ids of the same millisecond
        counter = ((bytes[6]! << 8) | bytes[7]!) & 0x7ff
      } else {
        counter++
        if (counter > 0xfff) {
          lastTime++
          counter = 0
        }
      }
      for (let at = 5, time = lastTime; at >= 0; at--, time = Math.floor(time / 256)) bytes[at] = time % 256
      bytes[6] = 0x70 | (counter >> 8)
      bytes[7] = counter & 0xff
      bytes[8] = 0x80 | (bytes[8]! & 0x3f)
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    },
  }
}
