import type { EngineEvent, EventListener, EventSink } from '../domain/events.ts'

export interface EventBus extends EventSink {
  /** Gives the function that ends the subscription. */
  subscribe(listener: EventListener): () => void
}

/**
 * Hands each event to every listener, in order of subscription. A listener that throws is told of once through
 * `onListenerError` and goes on receiving; neither the caller nor the other listeners notice.
 */
export function createEventBus(
  onListenerError: (error: unknown) => void = (error) => {
    process.emitWarning(`An event listener of prolepsis threw: ${String(error)}`)
  },
): EventBus {
  const listeners = new Set<{ readonly call: EventListener }>()
  const reported = new WeakSet<object>()

  const deliver = (event: EngineEvent, listener: { readonly call: EventListener }): void => {
    try {
      listener.call(event)
    } catch (error) {
      if (reported.has(listener)) return
      reported.add(listener)
      onListenerError(error)
    }
  }

  return {
    emit(event) {
      for (const listener of [...listeners]) deliver(event, listener)
    },
    subscribe(call) {
      const listener = { call }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
