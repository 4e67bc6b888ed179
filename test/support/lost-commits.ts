import { onTestFinished, vi } from 'vitest'
import type { Db } from '../../db/database.ts'

/**
 * Loses the answer to one commit, as a connection does that breaks at that moment: the transaction is stored, and its caller
 * gets an error.
 * @param isTheOne asked after each commit; by default the next one is lost
 * @returns a function that tells whether it happened
 */
export function loseCommit(db: Db, isTheOne: () => Promise<boolean> = async () => true): () => boolean {
  const transaction = db.transaction.bind(db)
  let lost = false
  const spy = vi.spyOn(db, 'transaction').mockImplementation(() => {
    const builder = transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      const result = await execute(work)
      if (lost || !(await isTheOne())) return result
      lost = true
      throw new Error('Connection terminated unexpectedly')
    }
    return builder
  })
  onTestFinished(() => spy.mockRestore())
  return () => lost
}
