import * as rows from '../../../db/queries/catalogue/brands.ts'
import { lockRecord, updateRecord } from '../../../db/queries/records.ts'
import type { BrandRow } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { withImageUrl } from '../../rules/media/urls.ts'
import { readName } from '../../rules/text.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { write } from '../../runtime/write.ts'
import { Brand, BrandInput, Brands } from '../../schemas/catalogue.ts'
import { recordEdit } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'
import { answer, answerBySlug, type BySlug, staffAnswer } from './answers.ts'
import { missingReferences, reserveSlug, withSafeDescription } from './editing.ts'

const BRANDS = {
  change: 'brand',
  entity: 'BRAND',
  audited: (row: BrandRow) => toWire(BrandInput, { ...row, slug: row.slug ?? undefined }, true),
} as const

/** All brands by name, as JSON. */
export function listAllBrands(deps: Deps, staff: boolean): Promise<EncodedBody> {
  const load = async () => (await rows.listBrands(deps.db)).map((row) => toBrand(row, staff))
  return staff ? load().then((brands) => staffAnswer(Brands, brands)) : answer(deps, 'brands', Brands, load)
}

export function getBrand(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  const load = () => readBrand(deps.db, id, staff)
  return staff ? load().then((brand) => staffAnswer(Brand, brand)) : answer(deps, `brand ${id}`, Brand, load)
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
 * @throws AppError 400; 404; 409 SLUG_TAKEN
 */
export async function updateBrand(deps: Deps, actor: Actor, id: number, given: BrandInput): Promise<Brand> {
  const input = await withSafeDescription(deps, given)
  return write(deps, async (tx) => {
    const before = found(await lockRecord(tx.db, 'brands', id), 'brand')
    refuse(await missingReferences(tx.db, { imageId: input.imageId }))
    if (input.slug !== undefined) await reserveSlug(tx, 'brand', before, input.slug)
    const name = readName(input.name)
    const supplierName = before.supplier_name ?? before.name
    const isOverridden = before.external_id !== null && name !== supplierName
    const after = await updateRecord(tx.db, 'brands', id, {
      ...toColumns(BrandInput, input),
      name,
      supplier_name: isOverridden ? supplierName : null,
    })
    recordEdit(tx, BRANDS, actor, before, after)
    return readBrand(tx.db, id, true)
  })
}

async function readBrand(db: Deps['db'], id: number, staff: boolean): Promise<Brand> {
  return toBrand(found(await rows.findBrand(db, id), 'brand'), staff)
}

function toBrand(row: rows.BrandRow, staff: boolean): Brand {
  return toWire(Brand, withImageUrl(row), staff)
}
