import { afterEach } from 'vitest'
import type { ChildProgram } from './child-program.ts'
import { createDataFolder, createTestFolder, type TestFolder } from './data-folder.ts'

export interface UsedFolders {
  /** A data folder with the newest schema and no rows. */
  dataFolder(): Promise<string>
  /** A folder that does not exist yet. */
  newFolder(): Promise<string>
  /** Programs that the test started. */
  readonly programs: ChildProgram[]
}

/** Folders and programs of each test of a file: killed and removed when it ends. */
export function usedFolders(): UsedFolders {
  const folders: TestFolder[] = []
  const programs: ChildProgram[] = []
  const keep = (folder: TestFolder): string => {
    folders.push(folder)
    return folder.path
  }
  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.kill('SIGKILL')
      await program.ended
    }
    for (const folder of folders.splice(0)) await folder.remove()
  })
  return {
    programs,
    dataFolder: async () => keep(await createDataFolder()),
    newFolder: async () => keep(await createTestFolder()),
  }
}
