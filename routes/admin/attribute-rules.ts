import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AttributeRule, AttributeRuleInput } from '../../src/schemas/pipeline.ts'
import { ATTRIBUTE_RULES, listAttributeRules } from '../../src/services/pipeline/overrides.ts'
import { recordUseCases } from '../../src/services/records.ts'
import { recordRoutes } from '../record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const attributeRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, {
    access: 'ADMIN',
    id: 'AttributeRule',
    name: 'attribute rule',
    record: AttributeRule,
    input: AttributeRuleInput,
    notes: {
      list: 'By alias. A rule renames or drops an attribute that the supplier sends, in the stock system or in the XML feed, but none set by staff.',
      create: 'Takes effect at once.',
      update: 'Takes effect at once.',
      delete: "The attribute gets the supplier's name back at once.",
    },
    conflicts: { create: ['ALIAS_TAKEN'], update: ['ALIAS_TAKEN'] },
    list: listAttributeRules,
    ...recordUseCases(ATTRIBUTE_RULES),
  })
}
