import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { Attribute, AttributeInput, AttributeParams } from '../../src/schemas/product-search.ts'
import { VersionHeaders } from '../../src/schemas/versions.ts'
import { listAttributes, setAttribute } from '../../src/services/catalogue/attributes.ts'

/** See docs/catalogue.md. */
export const attributeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listAttributes',
      summary: 'List the attributes of products',
      description: 'Those of active products and those with settings, ordered as facets.',
      response: { 200: List(Attribute, 'The attributes') },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async () => listAttributes(deps),
  })

  app.put('/:name', {
    schema: {
      operationId: 'updateAttribute',
      summary: 'Set how facets show an attribute',
      description: 'Takes effect at once, on every instance. The `attr.<name>` filter works either way.',
      params: AttributeParams,
      headers: VersionHeaders,
      body: ref(AttributeInput),
      response: { 200: ref(Attribute) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => {
      const target = { id: request.params.name, ifMatch: request.headers['if-match'] }
      return setAttribute(deps, callerOf(request), target, request.body)
    },
  })
}
