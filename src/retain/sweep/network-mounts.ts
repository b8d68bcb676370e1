import { readFile } from 'node:fs/promises'
import { sep } from 'node:path'

/** Kinds of file systems whose changes come from elsewhere, so that this system tells nothing of them. */
const FAR =
  /^(nfs\d?|cifs|smb3|smbfs|9p|afs|ceph|glusterfs|lustre|beegfs|davfs2?|ncpfs|vboxsf|vmhgfs|prl_fs|virtiofs|fuse\..+)$/
/** Of `fuse.…`, those that work on a local disk. */
const NEAR = /^fuse\.(gvfsd-fuse|portal|lxcfs|mergerfs|gocryptfs|encfs|cryfs|ext2fs|ntfs|bindfs)$/

/** Whether a path is on a network file system, by the system's list of mounts; false where there is no such list. */
export async function isOnNetworkMount(path: string): Promise<boolean> {
  // a share of Windows
  if (/^[\\/]{2}[^\\/]/.test(path)) return true
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  return isFar(kindOfMount(mounts, path))
}

export function isFar(kind: string | null): boolean {
  return kind !== null && FAR.test(kind) && !NEAR.test(kind)
}

/** The kind of the file system that holds a path, from lines of `/proc/mounts`: device, mount point, kind, options. Null when none does. */
export function kindOfMount(mounts: string, path: string): string | null {
  let best: { readonly point: string; readonly kind: string } | null = null
  for (const line of mounts.split('\n')) {
    const [, point, kind] = line.split(' ')
    if (point === undefined || kind === undefined) continue
    const plain = unescaped(point)
    const holds = path === plain || path.startsWith(plain.endsWith(sep) ? plain : `${plain}${sep}`)
    // of two on one point, the later one covers the earlier
    if (holds && (best === null || plain.length >= best.point.length)) best = { point: plain, kind }
  }
  return best?.kind ?? null
}

/** Blanks and backslashes stand there as octal numbers. */
const unescaped = (point: string): string =>
  point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
