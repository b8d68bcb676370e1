import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCodeOf } from '../../../../domain/error-code.ts'

/** A process for good: the operating system gives process ids out again, but not with the same start. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in the system's own notation; null where that cannot be known. */
  readonly started: string | null
  /** The machine and, on Linux, the process namespace: elsewhere its pid says nothing. */
  readonly host: string
  /** Changes with every start of the machine; null where that cannot be known. */
  readonly boot: string | null
}

export type Liveness = 'alive' | 'dead' | 'unknown'

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid), host: currentHost(), boot: currentBoot() }
}

/** `unknown`: of another machine or namespace, or the start of the process cannot be compared. */
export function judgeLiveness(identity: ProcessIdentity): Liveness {
  if (identity.host !== currentHost()) return 'unknown'
  if (identity.boot !== currentBoot()) return 'dead'
  if (!exists(identity.pid)) return 'dead'
  const started = startOf(identity.pid)
  if (started === null || identity.started === null) return 'unknown'
  return started === identity.started ? 'alive' : 'dead'
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and another user's.
    return errorCodeOf(error) === 'EPERM'
  }
}

function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // Field 22; the second field is a name in parentheses that may hold anything.
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  }
  if (process.platform === 'win32') return null
  return readOrNull(() =>
    execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
    }).trim(),
  )
}

function currentHost(): string {
  const namespace = process.platform === 'linux' ? readOrNull(() => readlinkSync('/proc/self/ns/pid')) : null
  return `${hostname()} ${namespace ?? ''}`.trim()
}

function currentBoot(): string | null {
  if (process.platform !== 'linux') return null
  return readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** Null where the system does not tell: the caller falls back to asking the socket. */
function readOrNull(read: () => string): string | null {
  try {
    return read() || null
  } catch {
    return null
  }
}
