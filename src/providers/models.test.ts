import { expect, test } from 'vitest'
import { languageProviderOf } from './models.ts'

test.each([
  ['record:calls.jsonl:ollama:mistral:7b', 'ollama'],
  ['record:C:\\calls.jsonl:openai:gpt-5-mini', 'openai'],
  ['record:a:b.jsonl:openrouter:openai/gpt-5', 'openrouter'],
  ['ollama:mistral:latest', 'ollama'],
  ['record:new.jsonl:replay:old.jsonl', null],
])('%s asks %s', (name, provider) => {
  expect(languageProviderOf(name)).toBe(provider)
})
