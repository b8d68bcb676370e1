import { createConnection, createServer, type Socket } from 'node:net'
import { serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameReader, sendFrame } from './frames.ts'

function frame(message: unknown): Buffer {
  const body = serialize(message)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

it('puts messages together however the stream was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat({ max: 40 })), (messages, cuts) => {
      const stream = Buffer.concat(messages.map(frame))
      const reader = new FrameReader()
      const read: unknown[] = []
      let at = 0
      for (const cut of [...cuts, stream.length]) {
        read.push(...reader.push(stream.subarray(at, at + cut)))
        at += cut
      }
      expect(read).toEqual(messages.map((message) => structuredClone(message)))
    }),
    { seed: 5 },
  )
})

it('refuses an absurd length instead of waiting for it', () => {
  expect(() => [...new FrameReader().push(Buffer.from([0xff, 0xff, 0xff, 0xff]))]).toThrow(RangeError)
})

it('carries dates, bytes and large messages over a socket', async () => {
  const bytes = new Uint8Array(3_000_000).fill(9)
  const message = { date: new Date(5), rows: [[null, 1.5, 'é']], bytes }
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const received = new Promise<typeof message>((resolve) => {
    server.once('connection', (socket: Socket) => {
      const reader = new FrameReader()
      socket.on('data', (chunk: Buffer) => {
        for (const value of reader.push(chunk)) resolve(value as typeof message) // one kind is sent
      })
    })
  })
  const client = createConnection(address.port, '127.0.0.1')
  sendFrame(client, message)
  const { bytes: back, ...rest } = await received
  expect(rest).toEqual({ date: new Date(5), rows: [[null, 1.5, 'é']] })
  expect(Buffer.compare(back, bytes)).toBe(0)
  client.destroy()
  server.close()
})
