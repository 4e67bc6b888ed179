import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { AttributeRule, AttributeRuleInput } from '../../src/schemas/attribute-rules.ts'
import { ATTRIBUTE_RULES, listAttributeRules } from '../../src/services/pipeline/attribute-rules.ts'
import { createRecord, deleteRecord, updateRecord } from '../../src/services/records.ts'
import { recordOperations } from '../record-operations.ts'
import { targetOf } from '../targets.ts'

const operations = recordOperations({
  access: 'ADMIN',
  id: 'AttributeRule',
  name: 'attribute rule',
  record: AttributeRule,
  input: AttributeRuleInput,
  notes: {
    list: 'By alias. A rule renames or drops an attribute of the XML feed.',
    create: 'Takes effect with the next run of the pipeline.',
    update: 'Takes effect with the next run of the pipeline.',
    delete: 'From the next run on, the attribute has the name that the feed gives it.',
  },
  conflicts: { create: 'ALIAS_TAKEN', update: 'ALIAS_TAKEN' },
})

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const attributeRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', operations.list, async () => listAttributeRules(deps))
  app.post('/', operations.create, async (request) =>
    createRecord(deps, ATTRIBUTE_RULES, callerOf(request), request.body),
  )
  app.put('/:id', operations.update, async (request) =>
    updateRecord(deps, ATTRIBUTE_RULES, callerOf(request), targetOf(request), request.body),
  )
  app.delete('/:id', operations.delete, async (request) =>
    deleteRecord(deps, ATTRIBUTE_RULES, callerOf(request), targetOf(request)),
  )
}
