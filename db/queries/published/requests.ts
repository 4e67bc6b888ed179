import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { PublicationKind } from '../../tables/publications.ts'

/** Asks for rebuilds in the transaction that makes the publications outdated. */
export async function insertRequests(trx: Trx, kinds: PublicationKind[]): Promise<void> {
  await trx
    .insertInto('publication_requests')
    .values(kinds.map((kind) => ({ kind })))
    .execute()
}

/** Lists the requests that a build which starts now will fulfil, since it sees their changes. */
export async function listRequests(db: Db, kind: PublicationKind): Promise<number[]> {
  const rows = await db.selectFrom('publication_requests').select('id').where('kind', '=', kind).execute()
  return rows.map(({ id }) => id)
}

export async function deleteRequests(db: Db, ids: number[]): Promise<void> {
  await sql`delete from publication_requests where id = any(${ids}::int[])`.execute(db)
}

/** Whether a request is older than `seconds`. None is while a sync runs, which rebuilds at its end. */
export async function hasOverdueRequest(db: Db, kind: PublicationKind, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    select from publication_requests
    where kind = ${kind} and requested_at < now() - ${seconds}::int * interval '1 second'
      and not exists (select from sync_runs where status = 'RUNNING')
    limit 1`.execute(db)
  return rows.length > 0
}
