import { isUtf8 } from 'node:buffer'
import { ProlepsisError } from '../../domain/errors.ts'

export interface DecodedText {
  readonly text: string
  readonly notes: readonly string[]
}

/**
 * Bytes as text: UTF-8 unless a byte order mark or the media type's charset says otherwise. A byte order mark stays
 * in the text, so that nothing is lost.
 *
 * @throws UNSUPPORTED_MEDIA for binary data, INVALID_TEXT with the byte offset for what is not valid in its encoding
 */
export function decodeText(bytes: Uint8Array, charset: string | null): DecodedText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be')
  const nul = bytes.indexOf(0)
  if (nul !== -1) {
    throw new ProlepsisError('UNSUPPORTED_MEDIA', `The content is binary: it has a NUL byte at ${nul}.`, {
      hint: 'Give text (UTF-8), PDF or HTML; convert other formats to text first.',
      details: { byteOffset: nul },
    })
  }
  if (charset !== null && !/^utf-?8$/i.test(charset) && !/^us-ascii$/i.test(charset)) {
    return decodeCharset(bytes, charset)
  }
  if (!isUtf8(bytes)) {
    const byteOffset = firstInvalidByte(bytes)
    throw new ProlepsisError('INVALID_TEXT', `The content is not valid UTF-8 at byte ${byteOffset}.`, {
      hint: 'Convert it to UTF-8, or name its encoding in the media type: text/plain; charset=iso-8859-1.',
      details: { byteOffset },
    })
  }
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), notes: [] }
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): DecodedText {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, notes: [`decoded from ${encoding.toUpperCase()}`] }
  } catch (cause) {
    const byteOffset = firstLoneSurrogate(bytes, encoding === 'utf-16le')
    throw new ProlepsisError(
      'INVALID_TEXT',
      `The content is not valid ${encoding.toUpperCase()} at byte ${byteOffset}.`,
      { hint: 'Convert it to UTF-8 first.', cause, details: { byteOffset } },
    )
  }
}

function decodeCharset(bytes: Uint8Array, charset: string): DecodedText {
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true })
  } catch (cause) {
    throw new ProlepsisError('UNSUPPORTED_MEDIA', `The encoding ${charset} is not known.`, {
      hint: 'Convert the text to UTF-8 first.',
      cause,
      details: { charset },
    })
  }
  try {
    return { text: decoder.decode(bytes), notes: [`decoded from ${decoder.encoding}`] }
  } catch (cause) {
    throw new ProlepsisError('INVALID_TEXT', `The content is not valid ${decoder.encoding}.`, {
      hint: 'Check the charset of the media type, or convert the text to UTF-8 first.',
      cause,
      details: { charset },
    })
  }
}

/** Offset of the first byte that cannot stand there in UTF-8 (Unicode 16, table 3-7). */
function firstInvalidByte(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0
    const length =
      lead < 0x80
        ? 1
        : lead >= 0xc2 && lead <= 0xdf
          ? 2
          : (lead & 0xf0) === 0xe0
            ? 3
            : lead >= 0xf0 && lead <= 0xf4
              ? 4
              : 0
    if (length === 0 || !isUtf8(bytes.subarray(at, at + length)) || at + length > bytes.length) return at
    at += length
  }
  return bytes.length
}

function firstLoneSurrogate(bytes: Uint8Array, littleEndian: boolean): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const unit = view.getUint16(at, littleEndian)
    if (unit < 0xd800 || unit > 0xdfff) continue
    const next = at + 3 < bytes.length ? view.getUint16(at + 2, littleEndian) : 0
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) return at
    at += 2
  }
  return bytes.length - 1
}
