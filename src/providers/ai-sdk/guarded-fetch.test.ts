import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWireServer, type WireServer } from '../../../test/support/wire-server.ts'
import { createAiSdkLanguageModel } from './ai-sdk-language-model.ts'
import { guardedFetch } from './guarded-fetch.ts'

let server: WireServer
let elsewhere: WireServer
beforeAll(async () => {
  server = await startWireServer()
  elsewhere = await startWireServer()
})
afterAll(() => Promise.all([server.close(), elsewhere.close()]))

const post = (longest?: number) =>
  guardedFetch('p:m', longest)(`${server.url}/v1/chat`, { method: 'POST', body: '{"prompt":"It rains."}' })

test.each([301, 302, 303, 307, 308])(
  'neither key nor text follows a redirect to another host (%d)',
  async (status) => {
    elsewhere.answer({ json: { content: [{ type: 'text', text: 'mine' }] } })
    server.answer({ status, headers: { location: `${elsewhere.url}/v1/messages?key=abc` }, text: '' })
    const access = { key: 'the-key', variable: 'KEY', baseUrl: `${server.url}/v1` }
    const model = await createAiSdkLanguageModel({ provider: 'anthropic', model: 'm' }, access)
    const asked = model.generate({ purpose: 'answer', system: '', prompt: 'It rains.', maxOutputTokens: 9 })
    await expect(asked).rejects.toMatchObject({
      ...{ code: 'MODEL_REFUSED', retryable: false, details: { status } },
      message: expect.stringContaining(`${elsewhere.url}/v1/messages;`),
    })
    expect(elsewhere.requests).toEqual([])
  },
)

test('a redirect within the host that keeps the request is followed, three times at most', async () => {
  const on = { status: 308, headers: { location: '/v1/chat/' }, text: '' }
  server.answer(on, { json: { done: true } })
  expect(await (await post()).json()).toEqual({ done: true })
  expect(server.requests.map(({ path, body }) => [path, body.prompt])).toEqual([
    ['/v1/chat', 'It rains.'],
    ['/v1/chat/', 'It rains.'],
  ])
  server.answer(on)
  await expect(post()).rejects.toMatchObject({ code: 'MODEL_REFUSED' })
  expect(server.requests).toHaveLength(4)
})

test('a reply is read up to its bound, and no further', async () => {
  server.answer({ text: 'x'.repeat(1_000) })
  expect(await (await post(1_000)).text()).toHaveLength(1_000)
  await expect(post(999).then((response) => response.text())).rejects.toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    retryable: false,
  })
})
