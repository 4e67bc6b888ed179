import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Attribute, AttributeInput, AttributeParams } from '../../src/schemas/attributes.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { listAttributes, setAttribute } from '../../src/services/catalogue/attributes.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 4, "Attributes". */
export const attributeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listAttributes',
        summary: 'List the attributes of products',
        description:
          'Of active products, and those with settings of their own; in the order of the facets: by position, then by products.',
        response: { 200: List(Attribute, 'The attributes') },
      },
    },
    async () => listAttributes(deps),
  )

  app.put(
    '/:name',
    {
      config,
      schema: {
        operationId: 'updateAttribute',
        summary: 'Set how facets show an attribute',
        description: 'Takes effect at once, on every instance. The `attr.<name>` filter works either way.',
        params: AttributeParams,
        body: ref(AttributeInput),
        response: { 200: ref(Attribute) },
      },
    },
    async (request) => setAttribute(deps, callerOf(request), request.params.name, request.body),
  )
}
