import { lockWork } from '../../../db/locks.ts'
import { renameAttributes } from '../../../db/queries/pipeline/staging.ts'
import { invalid } from '../../errors.ts'
import { readName } from '../../rules/text.ts'
import * as wire from '../../schemas/pipeline.ts'
import { type RecordKind, recordUseCases } from '../records.ts'
import { toWire } from '../wire.ts'

/** A rule renames stored attributes at once; the sync and the pipeline apply it to those that they write later. */
const ATTRIBUTE_RULES: RecordKind<'attribute_rules', wire.AttributeRule, wire.AttributeRuleInput> = {
  table: 'attribute_rules',
  name: 'attribute rule',
  entity: 'ATTRIBUTE_RULE',
  toWire: (row) => toWire(wire.AttributeRule, row),
  toValues(input, current) {
    const { name = current?.name ?? null, ignore = current?.ignore ?? false } = input
    const rule = {
      alias: readName(input.alias),
      name: readName(name ?? '') || null,
      ignore,
    }
    if (!ignore && rule.name === null) {
      throw invalid({ path: 'name', code: 'ATTRIBUTE_WITHOUT_NAME' })
    }
    return rule
  },
  async afterWrite(tx, before, after) {
    await lockWork(tx.db, 'productRows')
    const aliases = [before, after].flatMap((rule) => rule?.alias ?? [])
    tx.recordChange('product', await renameAttributes(tx.db, aliases))
  },
  conflicts: { attribute_rules_alias_key: ['ALIAS_TAKEN', 'Another rule has this alias'] },
}

export const {
  list: listAttributeRules,
  create: createAttributeRule,
  update: updateAttributeRule,
  delete: deleteAttributeRule,
} = recordUseCases(ATTRIBUTE_RULES)

/** An override takes effect when the product's images are fetched next. */
const IMAGE_OVERRIDES: RecordKind<'product_image_overrides', wire.ImageOverride, wire.ImageOverrideInput> = {
  table: 'product_image_overrides',
  name: 'image override',
  entity: 'IMAGE_OVERRIDE',
  toWire: (row) => toWire(wire.ImageOverride, row),
  toValues: ({ productId, mode, urls }) => ({
    product_id: productId,
    mode,
    urls: [...new Set(urls.map((url) => url.trim()))],
  }),
  references: { product_image_overrides_product_fkey: 'productId' },
  conflicts: {
    product_image_overrides_product_key: ['PRODUCT_OVERRIDDEN', 'The product already has an override'],
  },
}

export const {
  list: listImageOverrides,
  create: createImageOverride,
  update: updateImageOverride,
  delete: deleteImageOverride,
} = recordUseCases(IMAGE_OVERRIDES)
