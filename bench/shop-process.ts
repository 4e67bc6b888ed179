import { type Database, openDatabase } from '../db/database.ts'
import project from '../package.json' with { type: 'json' }
import { type Running, startProcess } from './processes.ts'

export const ADMIN = { email: 'bench@shop.local', password: 'bench-password' }

/** A connection pool for the bench itself, without timeouts. */
export function openBenchDatabase(url: string): Database {
  return openDatabase(url, () => {}, { max: 2, queryTimeoutMs: 0 })
}

/** Starts the shop as `npm start` does, without jobs and without limits per address. */
export async function startShopProcess(databaseUrl: string, environment: Record<string, string>): Promise<Running> {
  const { db, close } = openBenchDatabase(databaseUrl)
  const keys = ['order_limit_per_ip', 'order_limit_per_phone']
  await db.updateTable('app_config').set({ value: '0' }).where('key', 'in', keys).execute()
  await close()
  return startProcess(
    project.scripts.start,
    {
      DATABASE_URL: databaseUrl,
      JOBS_ENABLED: 'false',
      RATE_LIMIT_ORDERS: '0',
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_COSTLY_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      ...environment,
    },
    '/health/ready',
  )
}

export async function login(shopUrl: string): Promise<string> {
  const response = await fetch(`${shopUrl}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const { token }: { token: string } = JSON.parse(await response.text())
  return token
}
