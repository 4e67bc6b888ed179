/** Runs one kind of work once at a time. */
export function createSingleFlight<T>() {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined

  function start(work: () => Promise<T>): Promise<T> {
    running = work().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    get running() {
      return running
    },
    /** Joins the run in progress, or starts one. `next`: between two runs. */
    join: (work: () => Promise<T>): Promise<T> => running ?? next ?? start(work),
    /** Shares one run that starts after this call, and after the run in progress: it sees all that was written before. */
    runNext(work: () => Promise<T>): Promise<T> {
      if (next) return next
      if (!running) return start(work)
      const startNext = () => {
        next = undefined
        return start(work)
      }
      next = running.then(startNext, startNext)
      return next
    },
  }
}
