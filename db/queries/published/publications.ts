import { type Insertable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { PublicationKind, PublicationTables, PublishedFile } from '../../tables/publications.ts'

export type PublicationRow = NonNullable<Awaited<ReturnType<typeof findNewestPublication>>>

export function findNewestPublication(db: Db, kind: PublicationKind) {
  return db
    .selectFrom('publications')
    .select(['id', 'kind', 'built_at', 'content_hash', 'entries'])
    .select(sql<PublishedFile>`files -> 0`.as('file'))
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Keeps other instances from publishing until the transaction ends. */
export async function lockPublications(trx: Trx): Promise<void> {
  // The builder locks rows, not tables.
  await sql`lock table publications in share row exclusive mode`.execute(trx)
}

/** @returns its id */
export async function insertPublication(
  trx: Trx,
  values: Insertable<PublicationTables['publications']>,
): Promise<number> {
  return (await trx.insertInto('publications').values(values).returning('id').executeTakeFirstOrThrow()).id
}

export async function insertChunk(db: Trx, chunk: PublicationTables['publication_chunks']): Promise<void> {
  await db.insertInto('publication_chunks').values(chunk).execute()
}

/** Lists the gzipped bytes of a publication in order; none if it was deleted. */
export async function listChunks(db: Db, id: number) {
  const chunks = db.selectFrom('publication_chunks').select('bytes').where('publication_id', '=', id)
  return (await chunks.orderBy('position').execute()).map(({ bytes }) => bytes)
}

/** Deletes all of a kind except the newest `retained`; other instances may still be fetching the previous one. */
export async function deleteOldPublications(db: Trx, kind: PublicationKind, retained: number): Promise<void> {
  const publications = db.selectFrom('publications').select('id').where('kind', '=', kind)
  await db
    .deleteFrom('publications')
    .where('kind', '=', kind)
    .where('id', 'not in', publications.orderBy('id', 'desc').limit(retained))
    .execute()
}

/** Lists the requests whose changes a build that starts now will include. */
export async function listRequests(db: Db, kind: PublicationKind) {
  const rows = await db.selectFrom('publication_requests').select('id').where('kind', '=', kind).execute()
  return rows.map(({ id }) => id)
}

export async function deleteRequests(db: Db, ids: number[]): Promise<void> {
  await db.deleteFrom('publication_requests').where('id', '=', sql<number>`any(${ids}::int[])`).execute()
}

/** Lists the publications with requests. */
export async function listRequestedKinds(db: Db) {
  const rows = await db.selectFrom('publication_requests').select('kind').distinct().orderBy('kind').execute()
  return rows.map(({ kind }) => kind)
}

/** Records the result of the last build's check. @param refusal why it was refused; null: it passed */
export async function recordCheck(db: Db, kind: PublicationKind, refusal: string | null, now: Date): Promise<void> {
  await db
    .insertInto('publication_checks')
    .values({ kind, refusal, checked_at: now })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ refusal, checked_at: now }))
    .execute()
}
