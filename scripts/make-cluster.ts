// Makes cluster/postgresql-N.tar.br, which new embedded stores are unpacked from. Run it after an upgrade of PGlite:
//   npx tsx scripts/make-cluster.ts
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { CLUSTER_FILE } from '../src/store/drivers/pglite/cluster.ts'
import { createPgliteSession } from '../src/store/drivers/pglite/session.ts'
import { tarFolder } from '../src/store/drivers/pglite/tar.ts'

const folder = await mkdtemp(join(tmpdir(), 'prolepsis-cluster-'))
try {
  // An empty folder: the engine runs initdb there.
  const session = await createPgliteSession({ folder })
  await session.close()
  const parts: Uint8Array[] = []
  for await (const part of tarFolder(folder)) parts.push(part)
  const tar = Buffer.concat(parts)
  const packed = brotliCompressSync(tar, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      // The three databases are alike, 7 MB apart: the window must reach from one to the next.
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
    },
  })
  await mkdir(new URL('.', CLUSTER_FILE), { recursive: true })
  await writeFile(CLUSTER_FILE, packed)
  process.stdout.write(`${CLUSTER_FILE.pathname}: ${tar.length} bytes packed into ${packed.length}\n`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
