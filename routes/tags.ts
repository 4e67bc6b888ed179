import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf, isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { NewTag, Tag, TagChange } from '../src/schemas/tags.ts'
import {
  checkTag,
  createTag,
  deleteTag,
  getTag,
  getTagBySlug,
  listTags,
  updateTag,
} from '../src/services/catalogue/tags.ts'
import { targetOf } from './targets.ts'

const config = { access: 'EDITOR' } as const
const one = { params: IdParams, headers: VersionHeaders }

/** Specification, "Tag"; contract sections 1 ("Access") and 4. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await app.register(tagBySlugAt('/by-slug/:slug', 'getTagBySlug'))

  app.get('/', {
    config,
    schema: {
      operationId: 'listTags',
      summary: 'List tags by name',
      description: 'Disabled ones too.',
      response: { 200: Type.Array(ref(Tag), { description: 'The tags' }) },
    },
    handler: async () => listTags(deps),
  })

  app.get('/:id', {
    config,
    schema: {
      operationId: 'getTag',
      summary: 'Get a tag',
      description: 'With its version, for If-Match.',
      params: IdParams,
      response: { 200: ref(Tag) },
    },
    handler: async (request) => getTag(deps, request.params.id),
  })

  app.post('/', {
    config: { ...config, check: checkTag },
    schema: {
      operationId: 'createTag',
      summary: 'Create a tag',
      description: 'Without a slug, one is generated from the name.',
      body: ref(NewTag),
      response: { 201: ref(Tag), 409: Conflict('SLUG_TAKEN') },
    },
    handler: async (request) => createTag(deps, callerOf(request), request.body),
  })

  app.put('/:id', {
    config: { ...config, check: checkTag },
    schema: {
      ...one,
      operationId: 'updateTag',
      summary: 'Update a tag',
      description: 'A former slug becomes free again; there is no redirect.',
      body: ref(TagChange),
      response: { 200: ref(Tag), 409: Conflict('SLUG_TAKEN'), 412: Failure },
    },
    handler: async (request) => updateTag(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    config,
    schema: {
      ...one,
      operationId: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Its products lose it.',
      response: { 204: NoContent, 412: Failure },
    },
    handler: async (request) => deleteTag(deps, callerOf(request), targetOf(request)),
  })
}

/** The address of the landing page in the storefront. */
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
          'The content of its landing page; `GET /api/v1/products?tagId=` lists its products. Disabled tags are a 404 to the public.',
        params: SlugParams,
        response: { 200: ref(Tag) },
      },
      handler: async (request, reply) =>
        reply.cacheable(await getTagBySlug(app.deps, request.params.slug, isByStaff(request))),
    })
  }
}
