import { fork } from 'node:child_process'
import { once } from 'node:events'

const SCRIPT = new URL('migrate-process.ts', import.meta.url)

/** Migrates in a child process and returns the names of the migrations that it applied. */
export async function migrateInProcess(databaseUrl: string): Promise<string[]> {
  const child = fork(SCRIPT, [databaseUrl], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // Unlike 'exit' it comes after the message.
  const closed = once(child, 'close')
  const [applied] = await Promise.race([once(child, 'message'), closed.then(() => [null])])
  await closed
  if (!Array.isArray(applied)) throw new Error('The process sent no message')
  return applied
}
