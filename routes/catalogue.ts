import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Brand, Cart, CartLines, Tag, TagInput } from '../src/schemas/catalogue.ts'
import { Category } from '../src/schemas/categories.ts'
import { IdParams, List, ref } from '../src/schemas/common.ts'
import { ProductCard, SlugParams } from '../src/schemas/products.ts'
import { getBrand, getBrandBySlug, listAllBrands } from '../src/services/catalogue/brands.ts'
import { validateCart } from '../src/services/catalogue/cart.ts'
import { getCategoryBySlug } from '../src/services/catalogue/categories.ts'
import { getProductBySlug } from '../src/services/catalogue/products.ts'
import * as tags from '../src/services/catalogue/tags.ts'
import { routes } from './endpoints.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Catalogue (public reads)". */
export const brandRoutes = routes('public', (app, deps) => {
  app.cached('/', {
    operationId: 'listBrands',
    summary: 'List brands by name',
    response: { 200: List(Brand, 'The brands') },
    handler: async (request, reply) => reply.cacheable(await listAllBrands(deps, isByStaff(request))),
  })

  app.cached('/:id', {
    operationId: 'getBrand',
    summary: 'Get a brand',
    params: IdParams,
    response: { 200: ref(Brand) },
    handler: async (request, reply) => reply.cacheable(await getBrand(deps, request.params.id, isByStaff(request))),
  })
})

/** Specification, "Tag"; contract sections 1 ("Access") and 4. */
export const tagRoutes = routes('EDITOR', (app) => {
  recordRoutes(app, {
    name: 'tag',
    schemas: { record: Tag, input: TagInput },
    notes: {
      list: 'By name, disabled ones too.',
      create: 'Without a slug, one is generated from the name.',
      update: 'A former slug becomes free again; there is no redirect.',
      delete: 'Its products lose it.',
    },
    conflicts: { create: ['SLUG_TAKEN'], update: ['SLUG_TAKEN'] },
    list: tags.listTags,
    get: tags.getTag,
    create: tags.createTag,
    update: tags.updateTag,
    delete: tags.deleteTag,
  })
})

const description = 'A former slug redirects to the current one. A hidden record is a 404 for the public.'
const PRODUCT = { tag: 'products', what: 'a product card', description, schema: ProductCard, find: getProductBySlug }
const CATEGORY = { tag: 'categories', what: 'a category', description, schema: Category, find: getCategoryBySlug }
const BRAND = { tag: 'brands', what: 'a brand', description, schema: Brand, find: getBrandBySlug }
const TAG = {
  tag: 'tags',
  what: 'a tag',
  description:
    'The content of its landing page; `GET /api/v1/products?tagId=` lists its products. A disabled tag is a 404 for the public.',
  schema: Tag,
  find: tags.getTagBySlug,
}

/** What can be found by slug, and where (contract section 1, "Access"). */
const PAGES = [
  { path: '/api/v1/products/by-slug', operationId: 'getProductBySlug', ...PRODUCT },
  { path: '/products/by-slug', operationId: 'getProductBySlugWithoutPrefix', ...PRODUCT },
  { path: '/api/v1/categories/by-slug', operationId: 'getCategoryBySlug', ...CATEGORY },
  { path: '/categories/by-slug', operationId: 'getCategoryBySlugWithoutPrefix', ...CATEGORY },
  { path: '/api/v1/brands/by-slug', operationId: 'getBrandBySlug', ...BRAND },
  { path: '/api/v1/tags/by-slug', operationId: 'getTagBySlug', ...TAG },
  { path: '/tags', operationId: 'getTagPage', ...TAG },
]

/** A former slug redirects within the same path (contract section 4, "Slugs"); tags have none. */
export const bySlugRoutes = routes('public', (app, deps) => {
  for (const { path, operationId, tag, what, description, schema, find } of PAGES) {
    app.cached(`${path}/:slug`, {
      tags: [tag],
      operationId,
      summary: `Get ${what} by its slug`,
      description,
      params: SlugParams,
      response: { 200: ref(schema), ...(tag !== 'tags' && { 301: Type.Null() }) },
      handler: async (request, reply) => {
        const found = await find(deps, request.params.slug, isByStaff(request))
        if ('body' in found) return reply.cacheable(found.body)
        // Browsers would otherwise cache the redirect permanently, and loop once the record takes its former slug back.
        return reply.header('cache-control', 'no-cache').redirect(`${path}/${found.movedTo}`, 301)
      },
    })
  }
})

/** Contract section 5, "Cart". */
export const cartRoutes = routes('public', (app, deps) => {
  app.post('/validate', {
    operationId: 'validateCart',
    summary: 'Validate a cart',
    description:
      'Prices the lines and checks their availability without reserving anything. An unknown product is an unavailable line, not an error.',
    body: ref(CartLines),
    response: { 200: ref(Cart) },
    handler: async (request) => validateCart(deps, request.body),
  })
})
