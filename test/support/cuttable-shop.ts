import { loginAs } from './accounts.ts'
import { createTestDatabase } from './database.ts'
import { startTestShop } from './shop.ts'
import { startSilentProxy } from './silent-proxy.ts'

export type CuttableShop = Awaited<ReturnType<typeof startCuttableShop>>

/** Starts a shop behind a proxy to its database that can go silent. */
export async function startCuttableShop(queryTimeoutMs: number) {
  const database = await createTestDatabase()
  const proxy = await startSilentProxy(database.url)
  const shop = await startTestShop({}, { databaseUrl: proxy.url, queryTimeoutMs })
  const admin = await loginAs(shop, 'ADMIN')
  return {
    /** Without the proxy. */
    databaseUrl: database.url,
    proxy,
    shop,
    admin,
    /** Status of a response that needs the database. */
    settings: async () => (await shop.call('GET', '/api/v1/admin/config', { token: admin })).status,
    async close() {
      await shop.close()
      await proxy.close()
      await database.drop()
    },
  }
}
