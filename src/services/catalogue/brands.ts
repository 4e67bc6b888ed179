import * as rows from '../../../db/queries/catalogue/brands.ts'
import type { BrandRow as StoredBrand } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { canonicalPath } from '../../rules/published/pages.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { readName, textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { write } from '../../runtime/write.ts'
import { Brand, type BrandInput, Brands, StaffBrand, StaffBrands } from '../../schemas/brands.ts'
import type { PartQuery } from '../../schemas/lists.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import { answer, answerBySlug, answerPart, type BySlug, staffAnswer } from './answers.ts'
import { missingReferences, reserveSlug, withSafeDescription } from './editing.ts'

/** A part of the brands by name, as JSON. */
export async function listBrands(deps: Deps, query: PartQuery, staff: boolean): Promise<EncodedBody> {
  if (staff) {
    const config = await settingValues(deps)
    const listed = await rows.listBrandPage(deps.db, query)
    return staffAnswer(
      StaffBrands,
      listed.rows.map((row) => toStaffBrand(row, config)),
      listed.total,
    )
  }
  return answerPart(deps, 'brands', query, Brands, async () => {
    const config = await settingValues(deps)
    const listed = await rows.listBrandPage(deps.db, query)
    return { rows: listed.rows.map((row) => toBrand(row, config)), total: listed.total }
  })
}

/** A brand as JSON. @throws AppError 404 */
export async function getBrand(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  const find = async () => found(await rows.findBrand(deps.db, id), 'brand')
  if (staff) return staffAnswer(StaffBrand, toStaffBrand(await find(), await settingValues(deps)))
  return answer(deps, `brand ${id}`, Brand, async () => toBrand(await find(), await settingValues(deps)))
}

/** The brand that has or had the slug, as JSON. @throws AppError 404 */
export function getBrandBySlug(deps: Deps, slug: string, staff: boolean): Promise<BySlug> {
  return answerBySlug(deps, 'brand', slug, (id) => getBrand(deps, id, staff))
}

/** What products show of their brands, by the id of the brand. */
export function brandLinks({ db, cached }: Deps): Promise<ReadonlyMap<number, rows.BrandLink>> {
  return cached.brands.get('links', async () => {
    const links = await rows.listBrandLinks(db)
    return new Map(links.map((link) => [link.id, link]))
  })
}

/**
 * Updates a brand. A name other than the supplier's survives every sync; setting the supplier's name ends that.
 * @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE
 */
export async function updateBrand(deps: Deps, actor: Actor, target: Target, given: BrandInput): Promise<StaffBrand> {
  const { id, ifMatch } = target
  const input = await withSafeDescription(deps, given)
  return write(deps, async (tx) => {
    const readBrand = async () =>
      toStaffBrand(found(await rows.findBrand(tx.db, id), 'brand'), await freshSettings(tx.db))
    const before = found(await rows.lockBrand(tx.db, id), 'brand')
    await refuseStale(ifMatch, before.version, readBrand)
    refuse(await missingReferences(tx.db, { imageId: input.imageId }))
    if (input.slug !== undefined) await reserveSlug(tx, 'brand', before, input.slug)
    const name = readName(input.name)
    const supplierName = before.supplier_name ?? before.name
    const isOverridden = before.external_id !== null && name !== supplierName
    const values = {
      name,
      slug: input.slug,
      description: textOrNull(input.description),
      image_id: input.imageId,
      supplier_name: isOverridden ? supplierName : null,
    }
    if (hasChanges(before, values)) {
      await rows.updateBrand(tx.db, id, values)
      tx.recordChange('brand', [id])
      const after = found(await rows.lockBrand(tx.db, id), 'brand')
      tx.audit({ actor, entity: 'BRAND', entityId: id, before: audited(before), after: audited(after) })
    }
    return readBrand()
  })
}

function audited(row: StoredBrand) {
  return { name: row.name, slug: row.slug, description: row.description, imageId: row.image_id }
}

function toBrand(row: rows.BrandRow, config: SettingValues): Brand {
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    imageUrl: row.image && imageUrl(row.image),
    productCount: row.product_count,
    seo: resolveSeo('brand', row, config),
    canonicalPath: canonicalPath('brands', row, config),
  }
}

function toStaffBrand(row: rows.BrandRow, config: SettingValues): StaffBrand {
  return { ...toBrand(row, config), imageId: row.image_id, supplierName: row.supplier_name, version: row.version }
}
