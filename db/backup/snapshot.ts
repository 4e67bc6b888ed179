import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
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

/** A migration may be running. */
const LOCKS_TIMEOUT_MS = 60_000
const LOCKS_RETRY_MS = 200

export type Snapshot = {
  tables: CopiedTable[]
  /** Reads all rows in the text format of COPY. */
  copy(table: CopiedTable): Readable
  /** Call it after the rows have been read. */
  state(): Promise<DatabaseState>
  /** Keys of the stored objects that the rows name. */
  objectKeys(): Promise<string[]>
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
    const tables = await beginSnapshot(client)
    if (!tables.some(({ name }) => name === 'kysely_migration'))
      throw new Error('The database contains no shop: nothing was backed up.')
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
      async objectKeys() {
        const { rows } = await client.query<{ key: string }>(`
          select storage_key || '/original' as key from images union select storage_key from xml_snapshots`)
        return rows.map(({ key }) => key)
      },
    })
  } finally {
    await client.end()
  }
}

/**
 * Locks the tables against changes of the schema before the snapshot is taken. Without waiting for a lock while it has
 * others, so that it is no part of a deadlock with a migration.
 */
async function beginSnapshot(client: pg.Client): Promise<CopiedTable[]> {
  for (const begin = Date.now(); ; ) {
    const tables = await listTables(client)
    await client.query('begin isolation level repeatable read read only')
    const isLocked = await lockTables(client, tables).catch((error: unknown) => {
      const code = error instanceof pg.DatabaseError ? error.code : undefined
      // The table is locked, or has just been dropped.
      if ((code !== '55P03' && code !== '42P01') || Date.now() > begin + LOCKS_TIMEOUT_MS) throw error
      return false
    })
    if (isLocked && isDeepStrictEqual(await listTables(client), tables)) return tables
    await client.query('rollback')
    await delay(LOCKS_RETRY_MS)
  }
}

async function lockTables(client: pg.Client, tables: CopiedTable[]): Promise<boolean> {
  if (tables.length > 0)
    await client.query(`lock table ${tables.map(tableName).join(', ')} in access share mode nowait`)
  return true
}
