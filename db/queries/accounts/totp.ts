import type { Db, Trx } from '../../database.ts'

/** Stores a secret that isn't confirmed yet, which replaces an earlier one and its recovery codes. */
export async function storeTotpSecret(trx: Trx, userId: number, secret: Buffer, codeHashes: Buffer[]): Promise<void> {
  await deleteTotpSecret(trx, userId)
  await trx.insertInto('totp_secrets').values({ user_id: userId, secret }).execute()
  const codes = codeHashes.map((code_hash) => ({ user_id: userId, code_hash }))
  await trx.insertInto('recovery_codes').values(codes).execute()
}

export async function findTotpSecret(db: Db, userId: number): Promise<Buffer | undefined> {
  const row = await db.selectFrom('totp_secrets').select('secret').where('user_id', '=', userId).executeTakeFirst()
  return row?.secret
}

/** Uses up the code of a step, and those before it. @returns false if it was used already, also by a concurrent login */
export async function useTotpStep(trx: Trx, userId: number, step: number): Promise<boolean> {
  const used = await trx
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

/** Uses a recovery code up. @returns false if there is no such code, or no longer */
export async function useRecoveryCode(trx: Trx, userId: number, codeHash: Buffer): Promise<boolean> {
  const used = await trx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

/** Deletes a secret, confirmed or not, and its recovery codes. */
export async function deleteTotpSecret(trx: Trx, userId: number): Promise<void> {
  await trx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute()
}
