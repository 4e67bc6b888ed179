/** An urgent call goes before every ordinary one that still waits. */
type Lane = 'urgent' | 'ordinary'

export type Pacer = <T>(lane: Lane, call: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Lets one call run at a time, with a pause between the end of one and the start of the next.
 * @returns a function that runs a call when its turn comes, and rejects at once when the signal is aborted before
 */
export function createPacer(pauseMs: number): Pacer {
  const waiting: Record<Lane, (() => void)[]> = { urgent: [], ordinary: [] }
  let running = false
  let nextStart = 0
  let timer: NodeJS.Timeout | undefined

  /** Who is next is decided when the pause is over, so that an urgent call that came meanwhile goes first. */
  function advance(): void {
    clearTimeout(timer)
    if (running || waiting.urgent.length + waiting.ordinary.length === 0) return
    const pause = nextStart - performance.now()
    if (pause > 0) {
      timer = setTimeout(advance, pause)
      return
    }
    running = true
    const start = waiting.urgent.shift() ?? waiting.ordinary.shift()
    start?.()
  }

  function turn(lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting[lane] = waiting[lane].filter((other) => other !== start)
        advance()
        reject(signal.reason)
      }
      signal.throwIfAborted()
      signal.addEventListener('abort', leave, { once: true })
      waiting[lane].push(start)
      advance()
    })
  }

  return async function paced(lane, call, signal) {
    await turn(lane, signal)
    try {
      return await call()
    } finally {
      running = false
      nextStart = performance.now() + pauseMs
      advance()
    }
  }
}
