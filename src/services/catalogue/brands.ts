import { type BrandRow, findBrand, listBrands } from '../../../db/queries/catalogue/brands.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { Brand } from '../../schemas/brands.ts'
import { type JsonBytes, toJsonBytes } from './cache.ts'

/** All brands by name, as JSON. */
export function listAllBrands({ db, cached }: Pick<Deps, 'db' | 'cached'>): Promise<JsonBytes> {
  return cached.catalogue.answers.get('brands', async () => toJsonBytes((await listBrands(db)).map(toBrand)))
}

/** One brand as JSON. @throws AppError 404 */
export function getBrand({ db, cached }: Pick<Deps, 'db' | 'cached'>, id: number): Promise<JsonBytes> {
  return cached.catalogue.answers.get(`brand ${id}`, async () => {
    const row = await findBrand(db, id)
    if (row === undefined) throw notFound('brand')
    return toJsonBytes(toBrand(row))
  })
}

function toBrand(row: BrandRow): Brand {
  return { id: row.id, externalId: row.external_id, name: row.name, productCount: row.product_count ?? 0 }
}
