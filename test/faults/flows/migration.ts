import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Flow } from './index.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../db/migrations')

/** Starts a process on an empty database. */
export const migration: Flow = {
  name: 'migration',
  world: { empty: true },
  async prepare(world) {
    await world.instance.kill()
    await sql`drop schema public cascade`.execute(world.db)
    await sql`create schema public`.execute(world.db)
    return {
      // A process that ends because of a fault is started again, as a supervisor does.
      act: () => world.instance.start(),
      async check() {
        const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.ts'))
        const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(world.db)
        if (rows.length !== files.length)
          return [{ kind: 'lost', what: `${rows.length} of ${files.length} migrations` }]
        const { status } = await world.call('GET', '/api/v1/products?size=1', { token: undefined })
        return status === 200 ? [] : [{ kind: 'wrong', what: `the product list: ${status}` }]
      },
    }
  },
}
