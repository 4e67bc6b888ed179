import type { Callers } from './fair-queue.ts'

/** `address`: of the client, if the work is for one; `signal`: aborted when it closes its request. */
export type Caller = { address?: string; signal: AbortSignal }

/** Deduplicates concurrent work by key. */
export type SingleFlight<T> = {
  /**
   * Joins the call in flight for this key, or starts one.
   * @param work gets a signal that aborts when all callers have closed their requests, and their addresses
   */
  run(key: string, work: (signal: AbortSignal, callers: Callers) => Promise<T>, caller: Caller): Promise<T>
}

export function createSingleFlight<T>(): SingleFlight<T> {
  type Flight = {
    result: Promise<T>
    controller: AbortController
    callers: number
    joint: Callers & { names: Set<string> }
  }
  const flights = new Map<string, Flight>()

  function start(
    key: string,
    work: (signal: AbortSignal, callers: Callers) => Promise<T>,
    { address }: Caller,
  ): Flight {
    const controller = new AbortController()
    const joint = { names: new Set(address === undefined ? [] : [address]) }
    const flight: Flight = {
      controller,
      callers: 0,
      joint,
      result: work(controller.signal, joint).finally(() => {
        if (flights.get(key) === flight) flights.delete(key)
      }),
    }
    flights.set(key, flight)
    return flight
  }

  return {
    async run(key, work, caller) {
      const { signal, address } = caller
      const current = flights.get(key)
      const flight = current && !current.controller.signal.aborted ? current : start(key, work, caller)
      flight.callers += 1
      if (address !== undefined) {
        flight.joint.names.add(address)
        flight.joint.onJoin?.()
      }
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
