import type { Selectable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { DeletedProductsTable } from '../../tables/products.ts'

export type DeletedProductRow = Selectable<DeletedProductsTable>

export function listDeletedProducts(db: Db, limit: number): Promise<DeletedProductRow[]> {
  const products = db.selectFrom('deleted_products').selectAll().limit(limit)
  return products.orderBy('deleted_at', 'desc').orderBy('external_id').execute()
}

export function deleteDeletedProduct(trx: Trx, externalId: string): Promise<DeletedProductRow | undefined> {
  const products = trx.deleteFrom('deleted_products').where('external_id', '=', externalId)
  return products.returningAll().executeTakeFirst()
}
