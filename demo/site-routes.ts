import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Catalogue } from './catalogue.ts'
import { renderFeed } from './feed.ts'
import { drawPicture } from './images.ts'
import { escapeMarkup } from './markup.ts'
import { readPicturePath } from './picture-paths.ts'
import { isPageShape, pagePath, renderProductPage } from './product-page.ts'
import type { SupplierTime } from './supplier-time.ts'

export interface Storefront {
  /** Text of /robots.txt; null: 404. */
  robots: string | null
}

interface SiteParts {
  readonly catalogue: Catalogue
  readonly time: SupplierTime
  readonly storefront: Storefront
  readonly siteUrl: () => string
}

export const DEFAULT_ROBOTS = 'User-agent: *\nDisallow: /cart\nDisallow: /search\nAllow: /\n'

const MAX_HOME_PAGE_PRODUCTS = 20

/** The supplier's storefront: product pages, pictures, robots.txt and the YML feed. */
export function addSiteRoutes(app: FastifyInstance, parts: SiteParts): void {
  const { catalogue, storefront, siteUrl } = parts

  app.get('/', (_request, reply) => html(reply, homePage(catalogue)))

  app.get<{ Params: { id: string } }>('/p/:id', (request, reply) => {
    const product = catalogue.products.get(request.params.id)
    if (product === undefined) return html(reply.code(404), '<!DOCTYPE html><title>404</title><h1>Товар не найден</h1>')
    const shape = new URL(request.url, siteUrl()).searchParams.get('shape')
    return html(reply, renderProductPage(catalogue, product, siteUrl(), isPageShape(shape) ? shape : undefined))
  })

  for (const folder of ['/img/*', '/upload/*', '/wp-content/*', '/cdn/*']) app.get(folder, sendPicture)

  app.get('/robots.txt', (_request, reply) => {
    if (storefront.robots === null) return reply.code(404).type('text/plain').send('not found')
    return reply.type('text/plain; charset=utf-8').send(storefront.robots)
  })

  app.get('/feed.xml', (_request, reply) => {
    const feed = renderFeed(catalogue, siteUrl(), parts.time.feedDate(Date.now()))
    return reply.type('application/xml; charset=utf-8').send(Readable.from(feed, { objectMode: false }))
  })
}

function sendPicture(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?')
  const picture = readPicturePath(path)
  if (picture === undefined) return reply.code(404).type('text/plain').send('not found')
  const file = drawPicture(picture.seed, picture.width, picture.height)
  return reply.type('image/png').header('cache-control', 'public, max-age=86400').send(file)
}

function homePage(catalogue: Catalogue): string {
  const links: string[] = []
  for (const { id, name, active } of catalogue.products) {
    if (active) links.push(`<li><a href="${pagePath(id)}">${escapeMarkup(name)}</a></li>`)
    if (links.length === MAX_HOME_PAGE_PRODUCTS) break
  }
  return `<!DOCTYPE html><html lang="ru"><head><meta charset="utf-8"><title>Демо-магазин</title></head><body>
<h1>Демо-магазин поставщика</h1><p>Товаров: ${catalogue.products.size}. <a href="/feed.xml">Выгрузка YML</a></p>
<ul>${links.join('\n')}</ul></body></html>`
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text)
}
