import { randomUUID } from 'node:crypto'
import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import { checkFeed } from '../published.ts'
import type { Flow } from './index.ts'

/** Longer than a rebuild is put off after a change, and than the job pauses that builds what a crash left. */
const REBUILD_MS = 90_000

/** Renames a product and waits until the feed has the new name: the rebuild must survive the fault. */
export const feedRebuild: Flow = {
  name: 'feed rebuild',
  world: { jobs: true },
  async prepare(world) {
    const { id } = await world.db
      .selectFrom('products')
      .select('id')
      .where('active', '=', true)
      .where('final_price', '>', '0')
      .where('stock', '>', 10_000)
      .executeTakeFirstOrThrow()
    const name = `Renamed ${randomUUID()}`
    let renamed = false
    const feed = () => world.call('GET', '/api/v1/yml-catalog.xml', { token: undefined })
    return {
      async act() {
        // Not repeated once confirmed: a second change would ask for a second rebuild.
        if (!renamed) accepted(await world.call('PATCH', `/api/v1/products/${id}`, { body: { name } }), 200)
        renamed = true
        const until = performance.now() + REBUILD_MS
        while (performance.now() < until) {
          if ((await feed()).text.includes(name)) return
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      },
      async check(): Promise<Finding[]> {
        if (!(await feed()).text.includes(name)) return [{ kind: 'lost', what: 'the rebuild of the feed' }]
        return checkFeed(world)
      },
    }
  },
}
