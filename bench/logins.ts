import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { load, summary } from './load.ts'
import { share } from './table.ts'

/** Logins over 32 connections beside bare bcryptjs in one thread per core. */
export async function logins(
  shopUrl: string,
  admin: { email: string; password: string },
  seconds: number,
  least: number,
): Promise<Record<string, string | number>> {
  const request = { method: 'POST', path: '/api/v1/auth/login', body: admin } as const
  await load(shopUrl, [request], { connections: 4, seconds: 1 })
  const shop = summary([await load(shopUrl, [request], { connections: 32, seconds })])
  const bare = await compareInThreads(admin.password, seconds)
  return {
    'logins/s': shop.perSecond,
    'bcryptjs/s': bare,
    'of limit': share(shop.perSecond, bare),
    budget: share(least, 1),
    met: shop.perSecond >= least * bare ? 'yes' : 'no',
    errors: shop.errors,
  }
}

async function compareInThreads(password: string, seconds: number): Promise<number> {
  const workerData = { password, seconds }
  const counts = Array.from({ length: availableParallelism() }, async () => {
    const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData })
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    worker.once('message', resolve).once('error', reject)
    return promise
  })
  const all = await Promise.all(counts)
  return all.reduce((sum, count) => sum + count, 0) / seconds
}
