import { accepted } from '../client.ts'
import { type Finding, untilFine } from '../patience.ts'
import type { World } from '../world.ts'
import { untilDoneOrStruck } from './background.ts'
import type { Flow } from './index.ts'

/** Longer than a lease and the pause after a failed attempt. */
const RETRIED_MS = 420_000

/** Fetches a product's images from the supplier's storefront. A task left by a crash is done when its lease ends. */
export const scrape: Flow = {
  name: 'scrape',
  world: { s3: true, jobs: true },
  async prepare(world) {
    const { id } = await world.db
      .selectFrom('products')
      .select('id')
      .where('active', '=', true)
      .where('external_id', 'is not', null)
      .where('id', 'not in', (eb) => eb.selectFrom('gbstore_scrape_queue').select('product_id'))
      .orderBy('id')
      .executeTakeFirstOrThrow()
    return {
      async act() {
        const path = `/api/v1/admin/scrape-queue/product/${id}/enqueue`
        accepted(await world.call('POST', path, { body: {} }), 202, 409)
        await untilDoneOrStruck(world, async () => (await newestTask(world, id))?.status === 'DONE')
      },
      check: async () => [],
    }
  },
  end: (world) => untilFine(() => checkImages(world), RETRIED_MS),
}

const newestTask = ({ db }: World, productId: number) =>
  db
    .selectFrom('gbstore_scrape_queue')
    .select(['status', 'error_message'])
    .where('product_id', '=', productId)
    .orderBy('id', 'desc')
    .executeTakeFirst()

/** Every task is done, and every product has the images of its page once. */
async function checkImages({ db, supplier }: World): Promise<Finding[]> {
  const tasks = await db
    .selectFrom('gbstore_scrape_queue')
    .innerJoin('products', 'products.id', 'product_id')
    .select(['product_id', 'external_id', 'status', 'error_message'])
    .execute()
  const links = await db.selectFrom('product_images').select(['product_id', 'image_id']).execute()
  return tasks.flatMap<Finding>(({ product_id: id, external_id, status, error_message }) => {
    if (status !== 'DONE') return [{ kind: 'stuck', what: `the task of ${id}: ${status} ${error_message}` }]
    const images = links.filter(({ product_id }) => product_id === id).length
    const pictures = supplier.catalogue.products.get(external_id ?? '')?.imageCount ?? 0
    if (images === pictures) return []
    const kind = images < pictures ? 'lost' : 'doubled'
    return [{ kind, what: `product ${id} has ${images} of ${pictures} images` }]
  })
}
