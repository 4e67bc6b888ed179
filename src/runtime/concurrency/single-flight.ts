/** Deduplicates concurrent work by key. */
export type SingleFlight<T> = {
  /**
   * Joins the call in flight for this key, or starts one.
   * @param signal aborted when this caller closes its request; `work` gets one that aborts when all callers have
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createSingleFlight<T>(): SingleFlight<T> {
  type Flight = { result: Promise<T>; controller: AbortController; callers: number }
  const flights = new Map<string, Flight>()

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight {
    const controller = new AbortController()
    const flight: Flight = {
      controller,
      callers: 0,
      result: work(controller.signal).finally(() => {
        if (flights.get(key) === flight) flights.delete(key)
      }),
    }
    flights.set(key, flight)
    return flight
  }

  return {
    async run(key, work, signal) {
      const current = flights.get(key)
      const flight = current && !current.controller.signal.aborted ? current : start(key, work)
      flight.callers += 1
      const leave = () => {
        flight.callers -= 1
        if (flight.callers === 0) flight.controller.abort()
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      return flight.result.finally(() => signal.removeEventListener('abort', leave))
    },
  }
}
