import {
  listAttributeSettings,
  lockAttributeSettings,
  updateAttributeSettings,
} from '../../../db/queries/catalogue/attributes.ts'
import type { AttributeSettingsTable } from '../../../db/tables/products.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { attributeKey } from '../../rules/catalogue/attributes.ts'
import { type AttributeSettings, compareAttributes, isFilterable } from '../../rules/catalogue/facets.ts'
import { oneLine } from '../../rules/text.ts'
import type { AttributeUse } from '../../runtime/search/attribute-pairs.ts'
import { write } from '../../runtime/write.ts'
import type { Attribute, AttributeInput } from '../../schemas/attributes.ts'

/** What staff decided about attributes, by the key of the name. */
export async function attributeSettings({ db }: Deps): Promise<ReadonlyMap<string, AttributeSettingsTable>> {
  const rows = await listAttributeSettings(db)
  return new Map(rows.map((row) => [attributeKey(row.name), row]))
}

/** Lists the attributes of active products, and those that staff decided something about, as facets order them. */
export async function listAttributes(deps: Deps): Promise<Attribute[]> {
  const settings = await attributeSettings(deps)
  const used = await deps.productSearch.attributes()
  const keys = new Set(used.map(({ name }) => attributeKey(name)))
  const unused = [...settings].flatMap(([key, { name }]) => (keys.has(key) ? [] : [name]))
  return [...used, ...unused.map((name) => ({ name, products: 0, values: 0 }))]
    .map((use) => toAttribute(use, settings.get(attributeKey(use.name))))
    .sort(compareAttributes)
}

/** @throws AppError 404 for a name that the list doesn't have */
export async function setAttribute(
  deps: Deps,
  actor: Actor,
  name: string,
  { filterable, position, unit }: AttributeInput,
): Promise<Attribute> {
  const key = attributeKey(name)
  const known = found(
    (await listAttributes(deps)).find((attribute) => attributeKey(attribute.name) === key),
    'attribute',
  )
  return write(deps, async (tx) => {
    const before = await lockAttributeSettings(tx.db, name)
    const after = {
      filterable: filterable === undefined ? before.filterable : filterable,
      position: position === undefined ? before.position : position,
      unit: unit === undefined ? before.unit : oneLine(unit ?? '') || null,
    }
    await updateAttributeSettings(tx.db, name, after)
    tx.audit({ actor, entity: 'ATTRIBUTE', entityId: name, before, after })
    tx.recordChange('attribute', [name])
    return toAttribute(known, after)
  })
}

function toAttribute({ name, products, values }: AttributeUse, settings?: AttributeSettings): Attribute {
  return {
    ...{ name, products, values },
    filterable: isFilterable(settings, values),
    position: settings?.position ?? null,
    unit: settings?.unit ?? null,
  }
}
