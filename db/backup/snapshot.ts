import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connectionSettings } from '../database.ts'
import {
  type CountedTable,
  columnList,
  type DatabaseState,
  listSequences,
  listTables,
  SESSION_SETTINGS,
  tableName,
} from './contents.ts'

/** A migration may be running. It gives way first, so that the two can't deadlock (db/migrate.ts). */
const LOCK_TIMEOUT_MS = 60_000

/**
 * Reads all tables as they are at one moment, while the shop goes on writing.
 * @param save receives the rows of a table in the text format of COPY
 * @throws Error if the database contains no shop
 */
export async function readSnapshot(
  databaseUrl: string,
  save: (table: string, rows: Readable) => Promise<void>,
): Promise<DatabaseState> {
  const client = new pg.Client(connectionSettings(databaseUrl, 0))
  // The query in progress rejects, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(SESSION_SETTINGS)
    const tables = await listTables(client)
    if (!tables.some(({ name }) => name === 'kysely_migration'))
      throw new Error('The database contains no shop: nothing was backed up.')
    await client.query('begin isolation level repeatable read read only')
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    // Locking takes no snapshot yet: that is of the moment when no migration can change the tables any more.
    await client.query(`lock table ${tables.map(tableName).join(', ')} in access share mode`)
    if (!isDeepStrictEqual(await listTables(client), tables))
      throw new Error('A migration changed the tables meanwhile: repeat the backup.')
    const counted: CountedTable[] = []
    for (const table of tables) {
      const text = `copy ${tableName(table)} (${columnList(table)}) to stdout with (format text)`
      const rows = client.query(copyTo(text))
      await save(table.name, rows)
      counted.push({ ...table, rows: rows.rowCount })
    }
    const migrations = await client.query<{ name: string }>('select name from kysely_migration order by name')
    return {
      migrations: migrations.rows.map(({ name }) => name),
      tables: counted,
      sequences: await listSequences(client),
    }
  } finally {
    await client.end()
  }
}
