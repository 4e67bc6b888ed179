import { busy } from './bounded-queue.ts'

/** Bounds work that outlives the call that begins it. */
export type Slots = {
  /**
   * Takes a slot. @returns frees it, once
   * @throws AppError 503 when none is free
   */
  take(): () => void
}

export function createSlots(max: number): Slots {
  const taken = new Set<symbol>()
  return {
    take() {
      if (taken.size >= max) throw busy()
      const slot = Symbol('slot')
      taken.add(slot)
      return () => taken.delete(slot)
    },
  }
}
