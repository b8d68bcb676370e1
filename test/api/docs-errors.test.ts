import { expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/index.ts'
import { EXIT, exitCodeOf } from '../../src/surfaces/cli/exit-codes.ts'
import { tableRows } from '../support/doc-tables.ts'
import { textOf } from './imports.ts'

const rows = tableRows(textOf('docs/errors.md'), 'code')

test('docs/errors.md lists the codes of the package, each once, in their order', () => {
  expect(rows.map(([code]) => code)).toEqual(ERROR_CODES.map((code) => `\`${code}\``))
})

test('docs/errors.md says when each comes, what to do, and the exit code that the command line ends with', () => {
  expect(rows.map(([code, , , exit]) => `${code} ${exit}`)).toEqual(
    ERROR_CODES.map((code) => `\`${code}\` ${exitCodeOf(code)}`),
  )
  expect(rows.filter(([, when, what]) => when === '' || what === '')).toEqual([])
})

test('README and the reference of the command line name the same exit codes', () => {
  const { done, failed, wrongUse, notFound, interrupted } = EXIT
  const sentence = `Exit codes: ${done} done, ${failed} failed, ${wrongUse} wrong use, ${notFound} not found, ${interrupted} interrupted`
  for (const document of ['README.md', 'docs/cli.md']) {
    expect(textOf(document).replaceAll(/\s+/g, ' '), document).toContain(sentence)
  }
})
