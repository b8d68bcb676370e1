import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as root from '../../src/index.ts'
import * as testing from '../../src/testing.ts'
import { importsOf, ROOT } from './imports.ts'

test('the root entry exports these values and no others', () => {
  expect(Object.keys(root).sort()).toEqual([
    'CHANNELS',
    'ERROR_CODES',
    'FORMATS',
    'FUSIONS',
    'JOB_KINDS',
    'JOB_STATES',
    'ProlepsisError',
    'RECALL_MODES',
    'TRACE_TYPES',
    'TRUST_LEVELS',
    'createCrossEncoder',
    'createInjectedEmbedder',
    'createInjectedLanguageModel',
    'createLocalEmbedder',
    'createMemory',
    'createRecordingModel',
    'createReplayModel',
    'evaluationJsonLines',
    'evaluationMarkdown',
    'isProlepsisError',
    'parseEvaluation',
    'restoreBackup',
  ])
})

test('the testing entry exports these values and no others', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'FEATURES',
    'FUSION_BIAS_FEATURES',
    'LEARNED_ENRICHED_WEIGHTS',
    'LEARNED_WEIGHTS',
    'STANDARD_ENRICHED_WEIGHTS',
    'STANDARD_WEIGHTS',
    'baselines',
    'createFakeEmbedder',
    'createFakeLanguageModel',
    'featureColumns',
    'recallPool',
  ])
})

test('the package opens these paths and no others', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(Object.keys(exports)).toEqual(['.', './math', './testing', './package.json'])
})

test('entries name what they export', () => {
  for (const entry of ['src/index.ts', 'src/testing.ts', 'src/math/index.ts']) {
    expect(readFileSync(join(ROOT, entry), 'utf8')).not.toMatch(/export \*/)
  }
})

/** Packages that importing a file runs, whatever imports them. */
function packagesOf(entry: string): Map<string, string> {
  const packages = new Map<string, string>()
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const line of importsOf(file)) {
      if (line.typeOnly || line.lazy) continue
      if (line.isPackage) packages.set(line.to, file)
      else visit(line.to)
    }
  }
  visit(entry)
  return packages
}

test('importing the root loads no database, no model runtime, no vendor’s client, no grammar and no document reader', () => {
  const heavy =
    /pglite|^pg$|^pg-|onnxruntime|@huggingface|tree-sitter|turndown|pdf|commander|cli-progress|^@ai-sdk|jsonrepair/
  const loaded = [...packagesOf('src/index.ts')].filter(([name]) => heavy.test(name))
  expect(loaded.map(([name, by]) => `${name} by ${by}`)).toEqual([])
})
