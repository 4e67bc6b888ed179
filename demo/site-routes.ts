import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Catalogue } from './catalogue.ts'
import { renderFeed } from './feed.ts'
import { drawPicture } from './images.ts'
import { escapeMarkup } from './markup.ts'
import { pagePath, renderProductPage } from './product-page.ts'
import type { SupplierTime } from './supplier-time.ts'

interface SiteParts {
  readonly catalogue: Catalogue
  readonly time: SupplierTime
}

const ROBOTS = 'User-agent: *\nDisallow: /cart\nDisallow: /search\nAllow: /\n'
const MAX_HOME_PAGE_PRODUCTS = 20
const SIZES = { products: 600, thumbnails: 228 }
const LOGO_SEED = 11

const Picture = Type.Object({
  folder: Type.Union([Type.Literal('products'), Type.Literal('thumbnails')]),
  file: Type.String({ pattern: '^[0-9a-f]{8}-[0-9]{1,2}\\.png$' }),
})
type Picture = Static<typeof Picture>

/** The supplier's storefront: product pages, pictures, robots.txt and the YML feed. */
export function addSiteRoutes(app: FastifyInstance, { catalogue, time }: SiteParts): void {
  app.get('/', (_request, reply) => sendHtml(reply, homePage(catalogue)))

  app.get<{ Params: { id: string } }>('/p/:id', (request, reply) => {
    const product = catalogue.products.get(request.params.id)
    if (product === undefined) {
      return sendHtml(reply.code(404), '<!DOCTYPE html><title>404</title><h1>Товар не найден</h1>')
    }
    return sendHtml(reply, renderProductPage(catalogue, product))
  })

  app.get<{ Params: Picture }>('/img/:folder/:file', { schema: { params: Picture } }, async (request, reply) => {
    const { folder, file } = request.params
    const size = SIZES[folder]
    return sendPicture(reply, await drawPicture(seedOf(file), size, size))
  })
  app.get('/img/logo.png', async (_request, reply) => sendPicture(reply, await drawPicture(LOGO_SEED, 160, 48)))

  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(ROBOTS))

  app.get('/feed.xml', (request, reply) => {
    const feed = renderFeed(catalogue, `${request.protocol}://${request.host}`, time.feedDate(Date.now()))
    return reply.type('application/xml; charset=utf-8').send(Readable.from(feed, { objectMode: false }))
  })
}

/** The same for the original and the thumbnail. */
function seedOf(file: string): number {
  const [key = '', index = ''] = file.replace('.png', '').split('-')
  return (Number.parseInt(key, 16) + Number(index)) >>> 0
}

function homePage(catalogue: Catalogue): string {
  const shown = catalogue.products.since(undefined).filter(({ active }) => active)
  const links = shown
    .slice(0, MAX_HOME_PAGE_PRODUCTS)
    .map(({ id, name }) => `<li><a href="${pagePath(id)}">${escapeMarkup(name)}</a></li>`)
  return `<!DOCTYPE html><html lang="ru"><head><meta charset="utf-8"><title>Демо-магазин</title></head><body>
<h1>Демо-магазин поставщика</h1><p>Товаров: ${catalogue.products.size}. <a href="/feed.xml">Выгрузка YML</a></p>
<ul>${links.join('\n')}</ul></body></html>`
}

function sendHtml(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text)
}

function sendPicture(reply: FastifyReply, file: Buffer): FastifyReply {
  return reply.type('image/png').header('cache-control', 'public, max-age=86400').send(file)
}
