import { lockWork } from '../../../db/locks.ts'
import * as queries from '../../../db/queries/pipeline/attributes.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { oneLine, readName } from '../../rules/text.ts'
import { AttributeRule, type AttributeRuleInput } from '../../schemas/attribute-rules.ts'
import type { RecordKind } from '../records.ts'
import { toWire } from '../wire.ts'

/** A rule takes effect at once; names that the supplier and the feed bring later are read with it. */
export const ATTRIBUTE_RULES: RecordKind<'attribute_rules', AttributeRule, AttributeRuleInput> = {
  table: 'attribute_rules',
  name: 'attribute rule',
  entity: 'ATTRIBUTE_RULE',
  toWire: (row) => toWire(AttributeRule, row),
  toValues(input, current) {
    const { name = current?.name ?? null, ignore = current?.ignore ?? false } = input
    const rule = {
      alias: readName(input.alias, 'alias'),
      name: oneLine(name ?? '').normalize() || null,
      ignore,
    }
    if (!ignore && rule.name === null) {
      throw invalid({ path: 'name', message: 'must not be empty unless the attribute is ignored' })
    }
    return rule
  },
  async afterWrite(tx, before, after) {
    await lockWork(tx.db, 'productRows')
    const aliases = [before, after].flatMap((rule) => rule?.alias ?? [])
    tx.recordChange('product', await queries.renameAttributes(tx.db, aliases))
  },
  conflicts: { attribute_rules_alias_key: ['ALIAS_TAKEN', 'Another rule has this alias'] },
}

/** Lists attribute rules by alias. */
export async function listAttributeRules({ db }: Deps): Promise<AttributeRule[]> {
  return (await queries.listAttributeRules(db)).map(ATTRIBUTE_RULES.toWire)
}
