/** Work by keys: who asks for what is being done already waits for that. */
export type SingleFlight<T> = {
  /**
   * @param gone nobody waits for it here any more; its signal is aborted when all are gone
   * @throws what the work rejects with
   */
  share(key: string, work: (gone: AbortSignal) => Promise<T>, gone: AbortSignal): Promise<T>
}

export function createSingleFlight<T>(): SingleFlight<T> {
  type UnderWay = { done: Promise<T>; controller: AbortController; waiting: number }
  const all = new Map<string, UnderWay>()

  function begin(key: string, work: (gone: AbortSignal) => Promise<T>): UnderWay {
    const controller = new AbortController()
    const begun: UnderWay = {
      controller,
      waiting: 0,
      done: work(controller.signal).finally(() => {
        if (all.get(key) === begun) all.delete(key)
      }),
    }
    all.set(key, begun)
    return begun
  }

  return {
    async share(key, work, gone) {
      const found = all.get(key)
      const shared = found && !found.controller.signal.aborted ? found : begin(key, work)
      shared.waiting += 1
      const leave = () => {
        shared.waiting -= 1
        if (shared.waiting === 0) shared.controller.abort()
      }
      if (gone.aborted) leave()
      else gone.addEventListener('abort', leave, { once: true })
      return shared.done.finally(() => gone.removeEventListener('abort', leave))
    },
  }
}
