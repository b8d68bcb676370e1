import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll } from 'vitest'
import { createMemory, type Memory } from '../../src/index.ts'
import { main } from '../../src/surfaces/cli/main.ts'
import { createDataFolder, type TestFolder } from '../support/data-folder.ts'

export interface RunOptions {
  readonly stdin?: string | Uint8Array | Readable
  readonly cwd?: string
  /** Standard output, error and input are terminals, this many columns wide. */
  readonly terminal?: number
  readonly color?: boolean
  readonly debug?: boolean
  readonly signal?: AbortSignal
  /** Hears standard output as it is written. */
  readonly onOut?: (text: string) => void
  /** Hears standard error as it is written. */
  readonly onErr?: (text: string) => void
}

export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The one object on standard output. */
  json<T = Record<string, unknown>>(): T
  /** The code of the error that `--json` writes on standard error. */
  errorCode(): string
}

/** Runs a command line in this process. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const [stdout, stderr] = [sink(options.terminal, options.onOut), sink(options.terminal, options.onErr)]
  const { stdin = '' } = options
  const input = stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)])
  const code = await main(args, {
    stdin: Object.assign(input, { isTTY: options.terminal !== undefined }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: options.cwd ?? tmpdir(),
    signal: options.signal ?? new AbortController().signal,
    color: options.color ?? null,
    debug: options.debug ?? false,
  })
  const [out, err] = [stdout.text(), stderr.text()]
  return {
    code,
    out,
    err,
    json: () => JSON.parse(out),
    errorCode: () =>
      (JSON.parse(err.trim().split('\n').at(-1) ?? '') as { error: { code: string } }).error.code,
  }
}

function sink(
  columns: number | undefined,
  hear?: (text: string) => void,
): {
  readonly stream: PassThrough & { readonly isTTY: boolean; readonly columns: number }
  text(): string
} {
  const parts: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (part: Buffer) => {
    parts.push(part)
    hear?.(part.toString('utf8'))
  })
  return {
    stream: Object.assign(stream, { isTTY: columns !== undefined, columns: columns ?? 0 }),
    text: () => Buffer.concat(parts).toString('utf8'),
  }
}

export interface TestStore {
  /** Runs a command on the store. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** As `run`, with --json. */
  json(args: readonly string[], options?: RunOptions): Promise<Run>
  /** A bank of its own, to be named with --bank. */
  bank(): Promise<string>
  /** A folder for files; it is gone after the tests. */
  readonly folder: string
  readonly dataDir: string
  /** Owns the data folder while the commands run, so that each joins as a client and need not open the engine. */
  readonly owner: Memory
}

/** Commands that have commands of their own. */
const GROUPS = ['bank', 'documents', 'embedder', 'eval', 'events', 'jobs', 'questions']

/** One embedded store for a test file. */
export function useTestStore(): TestStore {
  let data: TestFolder | undefined
  let owner: Memory | undefined
  let folder = ''
  let banks = 0
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'prolepsis-cli-')))
    data = await createDataFolder()
    owner = await createMemory({ dataDir: data.path, cwd: folder })
  })
  afterAll(async () => {
    await owner?.close()
    await data?.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const store: TestStore = {
    run: (args, options = {}) => {
      const [name = '', ...rest] = args
      // options of ours before the caller's, which may end with `--`
      const at = GROUPS.includes(name) ? 1 : 0
      const all = [name, ...rest.slice(0, at), '--data-dir', store.dataDir, ...rest.slice(at)]
      return runCli(all, { cwd: folder, ...options })
    },
    json: (args, options) => {
      const at = GROUPS.includes(args[0] ?? '') ? 2 : 1
      return store.run([...args.slice(0, at), '--json', ...args.slice(at)], options)
    },
    async bank() {
      const name = `bank-${++banks}`
      await store.owner.banks.create(name)
      return name
    },
    get folder() {
      return folder
    },
    get dataDir() {
      return data!.path
    },
    get owner() {
      return owner!
    },
  }
  return store
}
