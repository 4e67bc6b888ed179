import PQueue from 'p-queue'

/** An urgent call starts before all waiting ordinary ones, and while one is running. */
export type Priority = 'urgent' | 'ordinary'

export type Pacer = <T>(priority: Priority, call: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Creates a queue that pauses between the starts of any two calls. Only one ordinary call runs at a time; an urgent one
 * starts as soon as the pause is over, even while an ordinary one is running.
 * @returns a function that runs a call in its turn; rejects at once if the signal is aborted before
 */
export function createPacer(pauseMs: number): Pacer {
  const starts = new PQueue({ concurrency: 1 })
  const ordinary = new PQueue({ concurrency: 1 })

  /** Pausing the queue itself lets the call with the highest priority go next when the pause ends. */
  function start(priority: number, signal: AbortSignal): Promise<void> {
    const pause = () => {
      starts.pause()
      setTimeout(() => starts.start(), pauseMs)
    }
    return starts.add(pause, { priority, signal })
  }

  return async (urgency, call, signal) => {
    if (urgency === 'urgent') {
      await start(1, signal)
      return call()
    }
    // Paused until the call has settled: an aborted job would leave the queue while its call still runs.
    await ordinary.add(() => ordinary.pause(), { signal })
    try {
      await start(0, signal)
      return await call()
    } finally {
      ordinary.start()
    }
  }
}
