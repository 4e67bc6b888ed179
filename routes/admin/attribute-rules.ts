import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { AttributeRule, AttributeRuleInput } from '../../src/schemas/attribute-rules.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict, Failure } from '../../src/schemas/errors.ts'
import { deleteRecord } from '../../src/services/content/records.ts'
import {
  ATTRIBUTE_RULES,
  changeAttributeRule,
  createAttributeRule,
  listAttributeRules,
} from '../../src/services/pipeline/attribute-rules.ts'
import { targetOf } from '../targets.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const attributeRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listAttributeRules',
        summary: 'What becomes of attributes of the XML feed',
        description: 'By the names that the feed gives them.',
        response: { 200: Type.Array(ref(AttributeRule), { description: 'The rules' }) },
      },
    },
    async () => listAttributeRules(deps),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createAttributeRule',
        summary: 'Add a rule: another name for an attribute, or none',
        description: 'It counts from the next run of the pipeline on.',
        body: ref(AttributeRuleInput),
        response: { 201: ref(AttributeRule), 409: Conflict('ALIAS_TAKEN') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createAttributeRule(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateAttributeRule',
        summary: 'Change a rule',
        description: 'It counts from the next run of the pipeline on.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(AttributeRuleInput),
        response: { 200: ref(AttributeRule), 409: Conflict('ALIAS_TAKEN'), 412: Failure },
      },
    },
    async (request) => changeAttributeRule(deps, callerOf(request), targetOf(request), request.body),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteAttributeRule',
        summary: 'Delete a rule',
        description: 'From the next run on the attribute is called what the feed calls it.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, ATTRIBUTE_RULES, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}
