import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { AppError } from '../../errors.ts'
import { MAX_PASSWORD_BYTES } from '../../rules/accounts/credentials.ts'
import type { PasswordTask } from './password-worker.ts'

/** Some twenty seconds of work for one thread. */
const MAX_QUEUE_LENGTH = 256
/** An idle thread takes 25 MB. */
const IDLE_TIMEOUT_MS = 60_000
const COST = 10

/** Hash of a random text: logins of unknown users take as long as others. */
const DUMMY_HASH = '$2b$10$DmUrOOJwYxPdUuoM3o7X4.GyyE1Htb34Ql.KAYoF24s9aIByPK/7u'

export type Passwords = ReturnType<typeof createPasswords>

/**
 * bcrypt in worker threads, so that a burst of logins doesn't block the event loop (contract section 3).
 * @param options.cost of new hashes; tests lower it
 */
export function createPasswords({
  maxQueueLength = MAX_QUEUE_LENGTH,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
  cost = COST,
} = {}) {
  const pool = new Piscina<PasswordTask, boolean | string>({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: availableParallelism(),
    idleTimeout: idleTimeoutMs,
    // Gives the event loop precedence; on Linux only.
    niceIncrement: 5,
    // Its histograms take 700 KB.
    recordTiming: false,
  })

  /** @throws AppError 503 when the queue is full */
  async function run(task: PasswordTask): Promise<boolean | string> {
    if (pool.queueSize >= maxQueueLength) {
      throw new AppError(503, 'UNAVAILABLE', 'Too many logins at once; please retry', { retryAfter: 5 })
    }
    return pool.run(task)
  }

  return {
    hash: async (password: string): Promise<string> => String(await run({ password, cost })),
    /** Whether the password matches the hash. Without a hash the answer is false, and takes as long. */
    async match(password: string, hash: string | undefined): Promise<boolean> {
      // bcrypt ignores all bytes after the 72nd.
      const comparable = Buffer.byteLength(password) <= MAX_PASSWORD_BYTES ? hash : undefined
      const matches = await run({ password, hash: comparable ?? DUMMY_HASH })
      return comparable !== undefined && matches === true
    },
    close: (): Promise<void> => pool.destroy(),
  }
}
