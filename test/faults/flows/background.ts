import { setTimeout as delay } from 'node:timers/promises'
import { PATIENCE_MS } from '../patience.ts'
import type { World } from '../world.ts'

const PAUSE_MS = 100

/**
 * Waits for background work that a fault may hand over to a later attempt: until it is done, or the fault has struck.
 * @throws Error if the process ends by itself, or nothing happens
 */
export async function untilDoneOrStruck({ meter, instance }: World, isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (meter.struckAt === null && !(await isDone())) {
    if (instance.died()) throw new Error('The process ended')
    if (performance.now() > end) throw new Error('The job did not do it')
    await delay(PAUSE_MS)
  }
}
