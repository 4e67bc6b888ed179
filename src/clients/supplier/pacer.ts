import PQueue from 'p-queue'

/** An urgent call goes before every ordinary one that still waits. */
type Lane = 'urgent' | 'ordinary'

export type Pacer = <T>(lane: Lane, call: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Lets one call run at a time, with a pause between the end of one and the start of the next.
 * @returns a function that runs a call when its turn comes, and rejects at once when the signal is aborted before
 */
export function createPacer(pauseMs: number): Pacer {
  const turns = new PQueue({ concurrency: 1 })
  return async (lane, call, signal) => {
    // The queue runs nothing but this: whoever has the turn closes it. So a call that is aborted keeps its turn to its
    // end, and who is next is decided when the pause is over.
    await turns.add(() => turns.pause(), { priority: lane === 'urgent' ? 1 : 0, signal })
    try {
      return await call()
    } finally {
      setTimeout(() => turns.start(), pauseMs)
    }
  }
}
