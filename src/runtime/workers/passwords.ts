import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { AppError } from '../../errors.ts'
import { MAX_PASSWORD_BYTES } from '../../rules/accounts/credentials.ts'
import type { PasswordTask } from './password-worker.ts'

/** Some twenty seconds of work for a thread; who comes after that is asked to come again. */
const MAX_QUEUE_LENGTH = 256
/** A thread takes some 25 MB. */
const IDLE_MS = 60_000

/** Hash of a random text that nobody kept, of the same cost as the real ones. */
const NOBODYS_HASH = '$2b$10$DmUrOOJwYxPdUuoM3o7X4.GyyE1Htb34Ql.KAYoF24s9aIByPK/7u'

export type Passwords = {
  /** @throws a 503 when too many are waiting */
  hash(password: string): Promise<string>
  /**
   * Whether the password belongs to the hash. Without one (there is no such user) the answer is no, and takes as long.
   * @throws a 503 when too many are waiting
   */
  match(password: string, hash: string | undefined): Promise<boolean>
  close(): Promise<void>
}

/** bcrypt in threads of its own: a burst of logins must not hold the event loop (contract section 3). */
export function createPasswords(longestQueue = MAX_QUEUE_LENGTH, idleMs = IDLE_MS): Passwords {
  const pool = new Piscina<PasswordTask, boolean | string>({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 0,
    // One core stays with those who only look at products: with all of them a burst took nine tenths of theirs.
    maxThreads: Math.max(1, availableParallelism() - 1),
    idleTimeout: idleMs,
    // On Linux the threads step back behind those that answer requests.
    niceIncrement: 5,
    // Nobody reads it, and it takes 700 KB.
    recordTiming: false,
  })

  async function run(task: PasswordTask): Promise<boolean | string> {
    if (pool.queueSize >= longestQueue) {
      throw new AppError(503, 'UNAVAILABLE', 'Too many logins at once; please repeat', { retryAfter: 5 })
    }
    return pool.run(task)
  }

  return {
    async hash(password) {
      return String(await run({ password }))
    },
    async match(password, hash) {
      // bcrypt would compare the first 72 bytes only and say yes.
      const comparable = Buffer.byteLength(password) <= MAX_PASSWORD_BYTES ? hash : undefined
      const right = await run({ password, hash: comparable ?? NOBODYS_HASH })
      return comparable !== undefined && right === true
    },
    close: () => pool.destroy(),
  }
}
