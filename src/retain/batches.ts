/** How long a batch that is not full waits for its next item while nothing else is to be done, milliseconds. */
const PATIENCE_MS = 20

/**
 * Prepares items as they come and groups them: a batch is given when it is full, when the items end, or when the next one lets itself be
 * waited for (a live feed), so that no item waits long for company.
 */
export async function* batchesOf<Item, Entry>(
  items: Iterable<Item> | AsyncIterable<Item>,
  prepare: (item: Item) => Promise<Entry>,
  isFull: (batch: readonly Entry[]) => boolean,
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
      const { value, done } = await next
      if (done) break
      batch.push(await prepare(value))
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
