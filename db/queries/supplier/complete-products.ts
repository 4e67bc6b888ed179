import type { ProductMember, SupplierProduct } from '../../../src/rules/supplier/records.ts'
import type { Trx } from '../../database.ts'

/** Fills in the stored values of members that can't be used. Requires the lock of product rows. */
export async function completeProducts(trx: Trx, records: SupplierProduct[]): Promise<SupplierProduct[]> {
  const ids = records.filter(({ unsound }) => unsound.length > 0).map(({ externalId }) => externalId)
  if (ids.length === 0) return records
  const rows = await trx
    .selectFrom('products')
    .select([
      'external_id',
      'description',
      'supplier_description',
      'overrides',
      'price',
      'stock',
      'supplier_active',
      'page_url',
    ])
    .select(['category_external_id', 'brand_external_id'])
    .where('external_id', 'in', ids)
    .execute()
  const known = new Map(rows.map((row) => [row.external_id, row]))
  return records.map((record) => {
    const row = known.get(record.externalId)
    if (row === undefined) return record
    const isSound = (member: ProductMember) => !record.unsound.includes(member)
    const stored = row.overrides.includes('description') ? row.supplier_description : row.description
    return {
      ...record,
      description: isSound('description') ? record.description : stored,
      price: isSound('price') ? record.price : row.price,
      stock: isSound('stock') ? record.stock : row.stock,
      active: isSound('active') ? record.active : row.supplier_active,
      pageUrl: isSound('pageUrl') ? record.pageUrl : row.page_url,
      categoryExternalId: isSound('categoryExternalId') ? record.categoryExternalId : row.category_external_id,
      brandExternalId: isSound('brandExternalId') ? record.brandExternalId : row.brand_external_id,
    }
  })
}
