import { violates } from '../../../db/errors.ts'
import { lockWork } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/pipeline/attribute-rules.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { readName } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { AttributeRule, AttributeRuleInput } from '../../schemas/attribute-rules.ts'

export async function listAttributeRules({ db }: Deps): Promise<AttributeRule[]> {
  return (await rows.listAttributeRules(db)).map(toAttributeRule)
}

/** A rule renames stored attributes at once; the sync and the pipeline apply it to those that they write later. @throws AppError 400; 409 ALIAS_TAKEN */
export function createAttributeRule(deps: Deps, actor: Actor, input: AttributeRuleInput): Promise<AttributeRule> {
  return write(deps, async (tx) => {
    const after = toAttributeRule(await rows.insertAttributeRule(tx.db, toValues(input)).catch(explain))
    await applyRules(tx, [after.alias])
    tx.audit({ actor, entity: 'ATTRIBUTE_RULE', entityId: after.id, before: null, after })
    return after
  })
}

/** @throws AppError 400; 404; 409 ALIAS_TAKEN; 412 STALE */
export function updateAttributeRule(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: AttributeRuleInput,
): Promise<AttributeRule> {
  return write(deps, async (tx) => {
    const row = await lockCurrent(tx, target)
    const before = toAttributeRule(row)
    const values = toValues(input, row)
    if (!hasChanges(row, values)) return before
    const after = toAttributeRule(await rows.updateAttributeRule(tx.db, target.id, values).catch(explain))
    await applyRules(tx, [before.alias, after.alias])
    tx.audit({ actor, entity: 'ATTRIBUTE_RULE', entityId: target.id, before, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteAttributeRule(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = toAttributeRule(await lockCurrent(tx, target))
    await rows.deleteAttributeRule(tx.db, target.id)
    await applyRules(tx, [before.alias])
    tx.audit({ actor, entity: 'ATTRIBUTE_RULE', entityId: target.id, before, after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<rows.AttributeRuleRow> {
  const row = found(await rows.lockAttributeRule(tx.db, id), 'attribute rule')
  await refuseStale(ifMatch, row.version, () => toAttributeRule(row))
  return row
}

function explain(error: unknown): never {
  if (!violates(error, 'attribute_rules_alias_key')) throw error
  throw conflict('ALIAS_TAKEN', 'Another rule has this alias')
}

/** An absent member keeps its value. @throws AppError 400 */
function toValues(input: AttributeRuleInput, current?: rows.AttributeRuleRow) {
  const { name = current?.name ?? null, ignore = current?.ignore ?? false } = input
  const rule = { alias: readName(input.alias), name: readName(name ?? '') || null, ignore }
  if (!ignore && rule.name === null) {
    throw invalid({ path: 'name', code: 'ATTRIBUTE_WITHOUT_NAME' })
  }
  return rule
}

function toAttributeRule(row: rows.AttributeRuleRow): AttributeRule {
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

/** Names the stored attributes anew that any of these rules applied to or applies to. */
async function applyRules(tx: UnitOfWork, aliases: string[]): Promise<void> {
  await lockWork(tx.db, 'productRows')
  tx.recordChange('product', await rows.renameAttributes(tx.db, aliases))
}
