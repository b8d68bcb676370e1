/**
 * Events of work that tells by calling, as an iterable. The work begins at the first step, under a signal of its own that fires when the reader
 * leaves early or the caller's fires; leaving waits until the work has ended. What the work throws is thrown to the reader, after the events before it.
 */
export async function* eventStream<Event>(
  work: (emit: (event: Event) => void, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  const left = new AbortController()
  const waiting: Event[] = []
  let ended = false
  let wake = (): void => undefined
  const emit = (event: Event): void => {
    waiting.push(event)
    wake()
  }
  const running = work(emit, signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]))
  const settled = running
    .catch(() => undefined) // told to the reader below
    .then(() => {
      ended = true
      wake()
    })
  try {
    for (;;) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event
      if (ended) break
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await running
  } finally {
    left.abort()
    await settled
  }
}
