import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connectionSettings } from '../database.ts'
import {
  type CopiedTable,
  columnList,
  countTable,
  type DatabaseState,
  listSequences,
  listTables,
  SESSION_SETTINGS,
  tableName,
} from './contents.ts'

/** A migration may be running. It gives way first, so that the two can't deadlock (db/migrate.ts). */
const LOCK_TIMEOUT_MS = 60_000

export type Snapshot = {
  tables: CopiedTable[]
  /** Reads all rows in the text format of COPY. */
  copy(table: CopiedTable): Readable
  /** Call it after the rows have been read. */
  state(): Promise<DatabaseState>
}

/**
 * Reads all tables as they are at one moment, while the shop goes on writing.
 * @throws Error if the database contains no shop
 */
export async function readSnapshot<T>(
  databaseUrl: string,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
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
    return await read({
      tables,
      copy: (table) =>
        client.query(copyTo(`copy ${tableName(table)} (${columnList(table)}) to stdout with (format text)`)),
      async state() {
        const { rows } = await client.query<{ name: string }>(
          'select name from kysely_migration order by name',
        )
        const counted: DatabaseState['tables'] = []
        for (const table of tables) counted.push(await countTable(client, table))
        const sequences = await listSequences(client)
        return { migrations: rows.map(({ name }) => name), tables: counted, sequences }
      },
    })
  } finally {
    await client.end()
  }
}
