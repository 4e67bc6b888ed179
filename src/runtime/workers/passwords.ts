import { availableParallelism } from 'node:os'
import { MAX_PASSWORD_BYTES } from '../../rules/accounts/credentials.ts'
import { createBoundedQueue } from '../concurrency/bounded-queue.ts'
import type { PasswordTask } from './password-worker.ts'
import { createThreads } from './threads.ts'

const MAX_THREADS = availableParallelism()
/** About twenty seconds of work for one thread. */
const MAX_WAITING = 256
const TIMEOUT_MS = 20_000
/** An idle thread takes 25 MB. */
const IDLE_TIMEOUT_MS = 60_000
const COST = 10

/** Hash of a random text: logins of unknown users take as long as others. */
const DUMMY_HASH = '$2b$10$DmUrOOJwYxPdUuoM3o7X4.GyyE1Htb34Ql.KAYoF24s9aIByPK/7u'

export type Passwords = ReturnType<typeof createPasswords>

/**
 * bcrypt in worker threads, so that a burst of logins doesn't block the event loop (docs/accounts.md).
 * @param options.cost of new hashes; tests lower it
 */
export function createPasswords({ maxWaiting = MAX_WAITING, idleTimeoutMs = IDLE_TIMEOUT_MS, cost = COST } = {}) {
  const threads = createThreads<PasswordTask, boolean | string>('./password-worker.ts', {
    maxThreads: MAX_THREADS,
    idleTimeout: idleTimeoutMs,
  })
  const queue = createBoundedQueue({ concurrency: MAX_THREADS, maxWaiting, timeoutMs: TIMEOUT_MS })
  const run = (task: PasswordTask) => queue.run(() => threads.run(task))

  return {
    /** @throws AppError 503 when too many passwords are waiting */
    hash: async (password: string): Promise<string> => String(await run({ password: password.normalize(), cost })),
    /**
     * Whether the password matches the hash. Without a hash the answer is false, and takes as long.
     * @throws AppError 503 when too many passwords are waiting
     */
    async match(password: string, hash: string | undefined): Promise<boolean> {
      // Keyboards write й in one or two characters; hashes of 0.1.0 are of what was typed.
      for (const typed of new Set([password.normalize(), password])) {
        // bcrypt ignores all bytes after the 72nd.
        const comparable = Buffer.byteLength(typed) <= MAX_PASSWORD_BYTES ? hash : undefined
        const matches = await run({ password: typed, hash: comparable ?? DUMMY_HASH })
        if (comparable !== undefined && matches === true) return true
      }
      return false
    },
    close: threads.close,
  }
}
