/** What the first bytes say. Kinds that no extractor reads are named for the error. */
export type Signature = { readonly kind: 'pdf' } | { readonly kind: 'binary'; readonly name: string }

const SIGNATURES: readonly (readonly [name: string, bytes: readonly number[], offset?: number])[] = [
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['a ZIP archive (or an office document)', [0x50, 0x4b, 0x03, 0x04]],
  ['an empty ZIP archive', [0x50, 0x4b, 0x05, 0x06]],
  ['a gzip archive', [0x1f, 0x8b]],
  ['a bzip2 archive', [0x42, 0x5a, 0x68]],
  ['an xz archive', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['a zstd archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a 7z archive', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['a RAR archive', [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ['a program (ELF)', [0x7f, 0x45, 0x4c, 0x46]],
  ['WebAssembly', [0x00, 0x61, 0x73, 0x6d]],
  ['an old office document', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66, 0x6f, 0x72, 0x6d, 0x61, 0x74]],
  ['an MP3 file', [0x49, 0x44, 0x33]],
  ['a TIFF image', [0x49, 0x49, 0x2a, 0x00]],
  ['a tar archive', [0x75, 0x73, 0x74, 0x61, 0x72], 257],
]

/** A PDF may have some bytes before its header. */
const PDF_HEADER_REACH = 1024

export function signatureOf(bytes: Uint8Array): Signature | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_HEADER_REACH))
  const pdf = head.indexOf('%PDF-')
  if (pdf === 0 || (pdf > 0 && /^[^\x20-\x7e]*$/.test(head.toString('latin1', 0, pdf))))
    return { kind: 'pdf' }
  for (const [name, pattern, offset = 0] of SIGNATURES) {
    if (pattern.every((byte, index) => bytes[offset + index] === byte)) return { kind: 'binary', name }
  }
  return null
}
