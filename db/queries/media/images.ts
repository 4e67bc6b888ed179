import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { ImageRow, ImagesTable } from '../../tables/images.ts'

export function findImage(db: Db, id: number): Promise<ImageRow | undefined> {
  return db.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The oldest image with these very bytes. */
export function findImageOf(db: Db, sha256: string): Promise<ImageRow | undefined> {
  return db
    .selectFrom('images')
    .selectAll()
    .where('sha256', '=', sha256)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Others that store the same bytes wait for the end of this transaction. */
export async function lockImageBytes(trx: Trx, sha256: string): Promise<void> {
  const beginning = Number.parseInt(sha256.slice(0, 8), 16) | 0
  await sql`select pg_advisory_xact_lock(${LOCKS.imageBytes}::int, ${beginning}::int)`.execute(trx)
}

export function insertImage(trx: Trx, values: Insertable<ImagesTable>): Promise<ImageRow> {
  return trx.insertInto('images').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Nobody can begin to refer to it until the end of this transaction. */
export function lockImage(trx: Trx, id: number): Promise<ImageRow | undefined> {
  return trx.selectFrom('images').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function updateImage(trx: Trx, id: number, values: Updateable<ImagesTable>): Promise<ImageRow> {
  return trx.updateTable('images').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Which of these keys belong to an image. */
export async function findStorageKeys(db: Db, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .select('storage_key')
    .where('storage_key', '=', sql<string>`any(${keys}::text[])`)
    .execute()
  return rows.map(({ storage_key }) => storage_key)
}
