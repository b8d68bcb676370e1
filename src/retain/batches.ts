/** How long a batch that is not full waits for its next item while nothing else is to be done, milliseconds. */
const PATIENCE_MS = 20

/**
 * Prepares items as they come and groups them: a batch is given when it is full, when the next item has no room in it, when the items
 * end, or when the next one lets itself be waited for (a live feed), so that no item waits long for company. When the items end in an
 * error, what came before is given first.
 */
export async function* batchesOf<Item, Entry>(
  items: Iterable<Item> | AsyncIterable<Item>,
  prepare: (item: Item) => Promise<Entry>,
  isFull: (batch: readonly Entry[]) => boolean,
  hasRoom: (batch: readonly Entry[], next: Entry) => boolean = () => true,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const iterator = asynchronous(items)
  let batch: Entry[] = []
  try {
    for (;;) {
      const next = iterator.next()
      if (batch.length > 0 && !(await settlesWithin(next, PATIENCE_MS))) {
        yield batch
        batch = []
      }
      const step = await next.catch((error: unknown): { readonly failed: unknown } => ({ failed: error }))
      if ('failed' in step) {
        if (batch.length > 0) yield batch
        throw step.failed
      }
      if (step.done) break
      const entry = await prepare(step.value)
      if (batch.length > 0 && !hasRoom(batch, entry)) {
        yield batch
        batch = []
      }
      batch.push(entry)
      if (!isFull(batch)) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  } finally {
    await iterator.return?.(undefined)
  }
}

async function* asynchronous<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  yield* items
}

async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}
