import { enqueueProduct } from '../../src/services/scraping/queue.ts'
import { runScraping } from '../../src/services/scraping/run.ts'
import { createProduct } from './factories.ts'
import { newImage } from './images.ts'
import { startTestShop } from './shop.ts'
import { startStorefront } from './storefront.ts'

const SETTINGS = { GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1', GBSTORE_SCRAPING_DELAY_MS: '0' }

export type ScrapedShop = Awaited<ReturnType<typeof startScrapedShop>>

/** A page with these images in its gallery. */
export function galleryPage(...images: string[]): string {
  return `<h1>Чайник</h1><div class="gallery">${images.map((path) => `<img src="${path}">`).join('')}</div>`
}

/** Starts two instances of a shop, and a storefront that they scrape. */
export async function startScrapedShop() {
  const shop = await startTestShop(SETTINGS)
  const { config, db } = shop.deps
  const other = await startTestShop({ ...SETTINGS, DATA_DIR: config.dataDir }, { databaseUrl: config.databaseUrl })
  let web = await startStorefront()

  async function setPage(id: number, url: string | null): Promise<void> {
    await db.updateTable('products').set({ page_url: url }).where('id', '=', id).execute()
  }
  const taskOf = (id: number) =>
    db.selectFrom('gbstore_scrape_queue').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  return {
    shop,
    other,
    get web() {
      return web
    },
    setPage,
    taskOf,
    /** A product whose page shows as many new pictures as are named. */
    async pictured(...names: string[]): Promise<number> {
      const id = await createProduct(db)
      for (const name of names) web.paths.set(`/${name}`, await newImage())
      web.paths.set(`/p/${id}`, galleryPage(...names.map((name) => `/${name}`)))
      await setPage(id, `${web.site}/p/${id}`)
      return id
    },
    /** Scrapes a product and returns its task. */
    async scrape(id: number, pageUrl?: string) {
      const task = await enqueueProduct(shop.deps, id, pageUrl === undefined ? {} : { pageUrl })
      await runScraping(shop.deps)
      return taskOf(task.id)
    },
    /** Paths of what a product shows, in its order; what staff linked is its id. */
    async shown(id: number): Promise<(string | number)[]> {
      const log = await db.selectFrom('gbstore_image_download_log').selectAll().where('product_id', '=', id).execute()
      const links = await db
        .selectFrom('product_images')
        .selectAll()
        .where('product_id', '=', id)
        .orderBy('display_order')
        .orderBy('image_id')
        .execute()
      return links.map(({ image_id }) => {
        const url = log.find((entry) => entry.image_id === image_id)?.image_url
        return url?.startsWith('http') ? new URL(url).pathname : image_id
      })
    },
    logOf: (id: number) =>
      db
        .selectFrom('gbstore_image_download_log')
        .select(['image_url', 'status', 'attempts', 'error_message'])
        .where('product_id', '=', id)
        .orderBy('position')
        .orderBy('id')
        .execute(),
    /** Empties the queue and the log, and starts another storefront. */
    async startOver(): Promise<void> {
      await web.close()
      web = await startStorefront()
      await db.deleteFrom('gbstore_scrape_queue').execute()
      await db.deleteFrom('gbstore_image_download_log').execute()
      await db.deleteFrom('product_image_overrides').execute()
    },
    async close(): Promise<void> {
      await other.close()
      await shop.close()
      await web.close()
    },
  }
}
