import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import * as wire from '../../src/schemas/attribute-rules.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import {
  createAttributeRule,
  deleteAttributeRule,
  listAttributeRules,
  updateAttributeRule,
} from '../../src/services/pipeline/attribute-rules.ts'

/** See docs/pipeline.md. */
export const attributeRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listAttributeRules',
      summary: 'List attribute rules',
      description:
        'By alias. A rule renames or drops an attribute that the supplier sends, in the stock system or in the XML feed, but none set by staff.',
      response: { 200: List(wire.AttributeRule, 'The attribute rules') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listAttributeRules(deps),
  })

  app.post('/', {
    schema: {
      operationId: 'createAttributeRule',
      summary: 'Create an attribute rule',
      description: 'Takes effect at once.',
      body: ref(wire.AttributeRuleInput),
      response: { 201: ref(wire.AttributeRule), 409: Conflict('ALIAS_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) =>
      reply.code(201).send(await createAttributeRule(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateAttributeRule',
      summary: 'Update an attribute rule',
      description: 'Takes effect at once.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.AttributeRuleInput),
      response: { 200: ref(wire.AttributeRule), 409: Conflict('ALIAS_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => updateAttributeRule(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteAttributeRule',
      summary: 'Delete an attribute rule',
      description: "The attribute gets the supplier's name back at once.",
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      await deleteAttributeRule(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
