// Writes docs/cli.md from the commands themselves: npx tsx scripts/cli-reference.ts
import { writeFileSync } from 'node:fs'
import { cliReference } from '../src/surfaces/cli/reference.ts'

writeFileSync(new URL('../docs/cli.md', import.meta.url), cliReference())
