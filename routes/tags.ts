import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { ref } from '../src/schemas/common.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { Tag, TagInput } from '../src/schemas/tags.ts'
import {
  checkTag,
  createTag,
  deleteTag,
  getTag,
  getTagBySlug,
  listTags,
  updateTag,
} from '../src/services/catalogue/tags.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Tag"; contract sections 1 ("Access") and 4. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(tagBySlugAt('/by-slug/:slug', 'getTagBySlug'))

  recordRoutes(app, {
    access: 'EDITOR',
    id: 'Tag',
    name: 'tag',
    record: Tag,
    input: TagInput,
    check: checkTag,
    notes: {
      list: 'By name, disabled ones too.',
      create: 'Without a slug, one is generated from the name.',
      update: 'A former slug becomes free again; there is no redirect.',
      delete: 'Its products lose it.',
    },
    conflicts: { create: ['SLUG_TAKEN'], update: ['SLUG_TAKEN'] },
    list: listTags,
    get: getTag,
    create: createTag,
    update: updateTag,
    delete: deleteTag,
  })
}

/** The path of the landing page in the storefront. */
export const tagPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(tagBySlugAt('/:slug', 'getTagPage'))
}

function tagBySlugAt(url: string, operationId: string): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(url, {
      config: CACHEABLE,
      schema: {
        operationId,
        summary: 'Get a tag by its slug',
        description:
          'The content of its landing page; `GET /api/v1/products?tagId=` lists its products. A disabled tag is a 404 for the public.',
        params: SlugParams,
        response: { 200: ref(Tag) },
      },
      handler: async (request, reply) =>
        reply.cacheable(await getTagBySlug(app.deps, request.params.slug, isByStaff(request))),
    })
  }
}
