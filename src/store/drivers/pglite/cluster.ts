import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { ProlepsisError } from '../../../domain/errors.ts'
import { POSTGRES_MAJOR } from './data-folder.ts'
import { untarInto } from './tar.ts'

/** Where `scripts/make-cluster.ts` puts it: equally far from src/store and from dist/store. */
export const CLUSTER_FILE: URL = new URL(
  `../../../../cluster/postgresql-${POSTGRES_MAJOR}.tar.br`,
  import.meta.url,
)

/**
 * What PostgreSQL's initdb makes, as a tar (38 MB): made once for the package, since initdb in WebAssembly takes 4 s.
 * All stores share its system identifier, which only replication would look at.
 * @throws STORE_FAILED when the package's file is missing or damaged.
 */
export async function freshCluster(): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await promisify(brotliDecompress)(await readFile(CLUSTER_FILE)))
  } catch (cause) {
    throw new ProlepsisError('STORE_FAILED', 'The file that new stores are made from cannot be read.', {
      hint: 'Install Prolepsis again.',
      cause,
      details: { path: CLUSTER_FILE.pathname },
    })
  }
}

/** Fills an empty folder; the caller flushes it. */
export async function unpackCluster(folder: string): Promise<void> {
  const tar = await freshCluster()
  await untarInto(folder, inOnePiece(tar))
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
