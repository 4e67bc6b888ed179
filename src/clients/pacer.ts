import PQueue from 'p-queue'

/** An urgent call starts before every ordinary one that still waits, and waits for no answer. */
type Priority = 'urgent' | 'ordinary'

export type Pacer = <T>(priority: Priority, call: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Keeps a pause between the start of one call and that of the next, whoever makes them. Of ordinary calls only one runs
 * at a time; an urgent one starts as soon as the pause is over, also beside a call that hangs.
 * @returns a function that runs a call when its turn comes, and rejects at once when the signal is aborted before
 */
export function createPacer(pauseMs: number): Pacer {
  const starts = new PQueue({ concurrency: 1 })
  const ordinary = new PQueue({ concurrency: 1 })

  /** The queue is closed until the pause is over; only then is it decided who is next. */
  function start(priority: number, signal: AbortSignal): Promise<void> {
    const close = () => {
      starts.pause()
      setTimeout(() => starts.start(), pauseMs)
    }
    return starts.add(close, { priority, signal })
  }

  return async (urgency, call, signal) => {
    if (urgency === 'urgent') {
      await start(1, signal)
      return call()
    }
    // Whoever has the turn closes the queue: so a call that is aborted while it runs keeps its turn to its end.
    await ordinary.add(() => ordinary.pause(), { signal })
    try {
      await start(0, signal)
      return await call()
    } finally {
      ordinary.start()
    }
  }
}
