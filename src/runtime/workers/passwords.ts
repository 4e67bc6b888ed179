import { availableParallelism } from 'node:os'
import { AppError } from '../../errors.ts'
import { MAX_PASSWORD_BYTES } from '../../rules/accounts/credentials.ts'
import type { PasswordTask } from './password-worker.ts'
import { createThreads } from './threads.ts'

const MAX_THREADS = availableParallelism()
/** About twenty seconds of work for one thread. */
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
  const threads = createThreads<PasswordTask, boolean | string>('./password-worker.ts', {
    maxThreads: MAX_THREADS,
    idleTimeoutMs,
  })
  let unfinished = 0

  /** @throws AppError 503 when the queue is full */
  async function run(task: PasswordTask): Promise<boolean | string> {
    if (unfinished >= MAX_THREADS + maxQueueLength) {
      throw new AppError(503, 'UNAVAILABLE', 'Too many logins at once; please retry', { retryAfter: 5 })
    }
    unfinished += 1
    try {
      return await threads.run(task)
    } finally {
      unfinished -= 1
    }
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
    close: threads.close,
  }
}
