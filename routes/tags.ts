import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, isByStaff } from '../plugins/auth.ts'
import { ForCaller, IdParams, List, NoContent, ref } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { StaffTag, Tag, TagInput } from '../src/schemas/tags.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import * as tags from '../src/services/catalogue/tags.ts'

/** See docs/catalogue.md and docs/accounts.md. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listTags',
      summary: 'List tags',
      description: 'By name, disabled ones too.',
      response: { 200: List(StaffTag, 'The tags') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async () => tags.listTags(deps),
  })

  app.get('/:id', {
    schema: { operationId: 'getTag', summary: 'Get a tag', params: IdParams, response: { 200: ref(StaffTag) } },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => tags.getTag(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createTag',
      summary: 'Create a tag',
      description: 'Without a slug, one is generated from the name.',
      body: ref(TagInput),
      response: { 201: ref(StaffTag), 409: Conflict('SLUG_TAKEN') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) =>
      reply.code(201).send(await tags.createTag(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateTag',
      summary: 'Update a tag',
      description: 'A former slug becomes free again; there is no redirect.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(TagInput),
      response: { 200: ref(StaffTag), 409: Conflict('SLUG_TAKEN') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => tags.updateTag(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Its products lose it.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      await tags.deleteTag(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getTagBySlug',
      summary: 'Get a tag by its slug',
      description:
        'The content of its landing page; `GET /api/v1/products?tagId=` lists its products. A disabled tag is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(Tag, StaffTag) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) =>
      reply.cacheable(await tags.getTagBySlug(deps, request.params.slug, isByStaff(request))),
  })
}

/** The landing page of a tag (docs/accounts.md). */
export const tagAliasRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/:slug', {
    schema: {
      operationId: 'getTagPage',
      summary: 'Get a tag by its slug',
      description:
        'The content of its landing page; `GET /api/v1/products?tagId=` lists its products. A disabled tag is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(Tag, StaffTag) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) =>
      reply.cacheable(await tags.getTagBySlug(deps, request.params.slug, isByStaff(request))),
  })
}
