import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf, isByStaff } from '../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { NewTag, Tag, TagChange } from '../src/schemas/tags.ts'
import {
  createTag,
  deleteTag,
  getTag,
  getTagBySlug,
  listTags,
  updateTag,
} from '../src/services/catalogue/tags.ts'
import { targetOf } from './targets.ts'

const config = { access: 'EDITOR' } as const

/** Specification, "Tag"; contract sections 1 ("Access") and 4. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await app.register(pageAt('/by-slug/:slug', 'getTagBySlug'))

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listTags',
        summary: 'All tags by name',
        description: 'Those that are switched off too.',
        response: { 200: Type.Array(ref(Tag), { description: 'The tags' }) },
      },
    },
    async () => listTags(deps),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        operationId: 'getTag',
        summary: 'One tag',
        description: "With its version, for a change that loses nobody's work.",
        params: IdParams,
        response: { 200: ref(Tag) },
      },
    },
    async (request) => getTag(deps, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createTag',
        summary: 'Add a tag',
        description: 'Without a slug it gets the one that its name makes.',
        body: ref(NewTag),
        response: { 201: ref(Tag), 409: Conflict('SLUG_TAKEN') },
      },
    },
    async (request, reply) => reply.code(201).send(await createTag(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateTag',
        summary: 'Change a tag',
        description:
          'A former slug is free again and leads nowhere. With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(TagChange),
        response: { 200: ref(Tag), 409: Conflict('SLUG_TAKEN'), 412: Failure },
      },
    },
    async (request) => updateTag(deps, callerOf(request), targetOf(request), request.body),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteTag',
        summary: 'Delete a tag, and take it off its products',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteTag(deps, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}

/** The landing page's address in the storefront, for whoever asks the shop instead. */
export const tagPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(pageAt('/:slug', 'getTagPage'))
}

function pageAt(url: string, operationId: string): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      url,
      {
        config: { access: 'public', optionalToken: true },
        schema: {
          operationId,
          summary: 'A tag by its slug',
          description:
            'What its landing page says; the products on it are `GET /api/v1/products?tagId=`. One that is switched off is a 404 to the public.',
          params: SlugParams,
          response: { 200: ref(Tag) },
        },
      },
      async (request, reply) =>
        reply.json(await getTagBySlug(app.deps, request.params.slug, isByStaff(request))),
    )
  }
}
