import { expect, test } from 'vitest'
import { isFar, isOnNetworkMount, kindOfMount } from './network-mounts.ts'

// the form of proc(5), /proc/pid/mounts
const MOUNTS = `/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/export /mnt/nfs nfs4 rw,vers=4.2 0 0
//nas/share /mnt/my\\040share cifs rw 0 0
me@host:/home /home/me/far fuse.sshfs rw 0 0
/dev/sdb1 /media/stick fuseblk rw 0 0
tmpfs /mnt/nfs/cover tmpfs rw 0 0
`

test.each([
  ['/home/me/notes', 'ext4', false],
  ['/mnt/nfs', 'nfs4', true],
  ['/mnt/nfs/docs', 'nfs4', true],
  ['/mnt/nfs2', 'ext4', false],
  ['/mnt/my share/docs', 'cifs', true],
  ['/home/me/far/notes', 'fuse.sshfs', true],
  ['/media/stick/notes', 'fuseblk', false],
  ['/mnt/nfs/cover/notes', 'tmpfs', false],
])('%s is on %s', (path, kind, far) => {
  expect(kindOfMount(MOUNTS, path)).toBe(kind)
  expect(isFar(kind)).toBe(far)
})

test('a later mount on the same point covers the earlier one; without a list nothing is known', () => {
  expect(kindOfMount('a /mnt ext4 rw 0 0\nb /mnt nfs rw 0 0\n', '/mnt/x')).toBe('nfs')
  expect(kindOfMount('', '/mnt/x')).toBeNull()
  expect(isFar(null)).toBe(false)
})

test('a share of Windows is one; where the tests run is none', async () => {
  expect(await isOnNetworkMount('\\\\server\\share\\docs')).toBe(true)
  expect(await isOnNetworkMount('/proc')).toBe(false)
})
