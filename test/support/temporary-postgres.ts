import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../db/embedded/server.ts'

/** Faster, but data don't survive a power cut. */
export const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Starts a server in a new folder, which `stop` deletes. */
export async function startTemporaryPostgres({ parent = tmpdir(), settings = {} } = {}) {
  const folder = await mkdtemp(join(parent, 'shop-postgres-'))
  // For the user that PostgreSQL runs as.
  await chmod(folder, 0o755)
  const server = await startEmbeddedPostgres(folder, settings)
  return {
    folder,
    url: server.url,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
