import { type BrandRow, findBrand, listBrandNames, listBrands } from '../../../db/queries/catalogue/brands.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { Brand } from '../../schemas/brands.ts'
import { answer, counted } from './answers.ts'

/** All brands by name, as JSON. */
export function listAllBrands(deps: Pick<Deps, 'db' | 'cached'>): Promise<EncodedBody> {
  return answer(deps, 'brands', false, async () => counted((await listBrands(deps.db)).map(toBrand)))
}

/** One brand as JSON. @throws AppError 404 */
export function getBrand(deps: Pick<Deps, 'db' | 'cached'>, id: number): Promise<EncodedBody> {
  return answer(deps, `brand ${id}`, false, async () => {
    const row = await findBrand(deps.db, id)
    if (row === undefined) throw notFound('brand')
    return counted(toBrand(row))
  })
}

/** The names of all brands by their ids. */
export function brandNames({
  db,
  cached,
}: Pick<Deps, 'db' | 'cached'>): Promise<ReadonlyMap<number, string>> {
  return cached.brands.get('names', async () => {
    const rows = await listBrandNames(db)
    return new Map(rows.map(({ id, name }) => [id, name]))
  })
}

function toBrand(row: BrandRow): Brand {
  return { id: row.id, externalId: row.external_id, name: row.name, productCount: row.product_count ?? 0 }
}
