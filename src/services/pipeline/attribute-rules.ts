import { violates } from '../../../db/errors.ts'
import * as queries from '../../../db/queries/pipeline/attributes.ts'
import { findRecord } from '../../../db/queries/records.ts'
import type { AttributeRuleRow } from '../../../db/tables/pipeline.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, notFound } from '../../errors.ts'
import { readAttributeRule } from '../../rules/pipeline/attribute-rules.ts'
import type { Target } from '../../rules/versions.ts'
import type { AttributeRule, AttributeRuleInput } from '../../schemas/attribute-rules.ts'
import { changeRecord, createRecord, type RecordKind, type WriteDeps } from '../content/records.ts'

export const ATTRIBUTE_RULES: RecordKind<'attribute_rules', AttributeRule> = {
  table: 'attribute_rules',
  name: 'attribute rule',
  entity: 'ATTRIBUTE_RULE',
  change: null,
  toWire: toRule,
  references: {},
}

/** By their aliases. A rule counts from the next run of the pipeline on. */
export async function listAttributeRules({ db }: Pick<Deps, 'db'>): Promise<AttributeRule[]> {
  return (await queries.listAttributeRules(db)).map(toRule)
}

/** @throws AppError 400; 409 ALIAS_TAKEN */
export function createAttributeRule(
  deps: WriteDeps,
  actor: UserRow,
  input: AttributeRuleInput,
): Promise<AttributeRule> {
  const rule = readAttributeRule(input, null)
  return unlessTaken(() => createRecord(deps, ATTRIBUTE_RULES, actor, rule))
}

/** @throws AppError 400; 404; 409 ALIAS_TAKEN; 412 STALE */
export async function changeAttributeRule(
  deps: WriteDeps,
  actor: UserRow,
  target: Target,
  input: AttributeRuleInput,
): Promise<AttributeRule> {
  const present = await findRecord(deps.db, 'attribute_rules', target.id)
  if (present === undefined) throw notFound(ATTRIBUTE_RULES.name)
  const rule = readAttributeRule(input, present)
  return unlessTaken(() => changeRecord(deps, ATTRIBUTE_RULES, actor, target, rule))
}

async function unlessTaken(work: () => Promise<AttributeRule>): Promise<AttributeRule> {
  try {
    return await work()
  } catch (error) {
    if (!violates(error, 'attribute_rules_alias_key')) throw error
    throw conflict('ALIAS_TAKEN', 'Another rule is about this attribute')
  }
}

function toRule(row: AttributeRuleRow): AttributeRule {
  return {
    id: row.id,
    alias: row.alias,
    name: row.name,
    ignore: row.ignore,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
