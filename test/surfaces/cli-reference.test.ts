import { expect, test } from 'vitest'
import { cliReference } from '../../src/surfaces/cli/reference.ts'
import { textOf } from '../api/imports.ts'

test('docs/cli.md is what the commands say (npx tsx scripts/cli-reference.ts writes it anew)', () => {
  expect(textOf('docs/cli.md')).toBe(cliReference())
})
