import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../db/migrate.ts'
import { NOT_DURABLE, startTemporaryPostgres } from '../support/temporary-postgres.ts'

/** The PostgreSQL server of a campaign. */
export type Postgres = {
  /** Creates a database with the current schema and the campaign's settings, or an empty one. */
  create(kind: 'migrated' | 'empty'): Promise<{ url: string; drop(): Promise<void> }>
  /** Breaks all connections, as a restart does; the server is back within seconds. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Limits would refuse a campaign's requests; a mail for each order can be counted. */
const SETTINGS = {
  order_limit_per_ip: '0',
  order_limit_per_phone: '0',
  contact_limit_per_ip: '0',
  contact_limit_per_phone: '0',
  notification_email: 'staff@example.test',
}

export async function startPostgres(): Promise<Postgres> {
  // A commit must survive the end of the server's processes, not that of the machine.
  const settings = { ...NOT_DURABLE, synchronous_commit: 'on', max_connections: '200' }
  const server = await startTemporaryPostgres({ settings })
  const on = (database: string) => Object.assign(new URL(server.url), { pathname: `/${database}` }).href

  async function administer(...statements: string[]): Promise<void> {
    const admin = new pg.Client(on('postgres'))
    await admin.connect()
    try {
      for (const statement of statements) await admin.query(statement)
    } finally {
      await admin.end()
    }
  }

  await migrate(server.url)
  const shop = new pg.Client(server.url)
  await shop.connect()
  for (const [key, value] of Object.entries(SETTINGS)) {
    await shop.query('update app_config set value = $2 where key = $1', [key, value])
  }
  await shop.end()
  await administer('alter database shop rename to template_shop')

  return {
    async create(kind) {
      const name = `faults_${randomUUID().replaceAll('-', '')}`
      const template = kind === 'migrated' ? 'template_shop' : 'template0'
      await administer(`create database ${name} template ${template} strategy file_copy`)
      return {
        url: on(name),
        drop: () => administer(`drop database if exists ${name} with (force)`),
      }
    },
    async restart() {
      const client = new pg.Client(on('postgres'))
      client.on('error', () => {})
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      // When one of its processes crashes, PostgreSQL ends all others and recovers.
      for (const { pid } of rows) process.kill(pid, 'SIGKILL')
    },
    stop: server.stop,
  }
}
