import type { EngineEvent } from '../../src/index.ts'

type OfType<T extends EngineEvent['type']> = Extract<EngineEvent, { readonly type: T }>

export interface HeardEvents {
  readonly all: EngineEvent[]
  readonly onEvent: (event: EngineEvent) => void
  /** The next event of a type that has not been waited for; of one bank when it is named. */
  next<T extends EngineEvent['type']>(type: T, bank?: string): Promise<OfType<T>>
  of<T extends EngineEvent['type']>(type: T): OfType<T>[]
}

/** Events of a memory, to be waited for. */
export function hearEvents(): HeardEvents {
  const all: EngineEvent[] = []
  const taken = new Set<EngineEvent>()
  const waiting = new Set<() => void>()
  return {
    all,
    onEvent(event) {
      all.push(event)
      for (const look of [...waiting]) look()
    },
    next: (type, bank) =>
      new Promise((resolve) => {
        const look = (): void => {
          const isOfBank = (one: EngineEvent): boolean =>
            bank === undefined || ('bank' in one && one.bank === bank)
          const event = all.find((one) => one.type === type && !taken.has(one) && isOfBank(one))
          if (event === undefined) return
          taken.add(event)
          waiting.delete(look)
          resolve(event as OfType<typeof type>) // its type was looked at
        }
        waiting.add(look)
        look()
      }),
    of: (type) => all.filter((event) => event.type === type) as OfType<typeof type>[], // the filter looks at it
  }
}
