import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../db/embedded/server.ts'
import { migrate } from '../../db/migrate.ts'

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
  const folder = await mkdtemp(join(tmpdir(), 'shop-faults-'))
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    durable: false,
    settings: { max_connections: '200' },
  })
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
      const [pid] = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
      // A fast shutdown; the embedded server's owner starts it again.
      process.kill(Number(pid), 'SIGINT')
    },
    async stop() {
      await server.stop({ remove: true })
      await rm(folder, { recursive: true, force: true })
    },
  }
}
