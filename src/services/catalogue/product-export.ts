import { findProducts } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import type { CsvCell } from '../../rules/csv.ts'
import type { Product, ProductExportQuery } from '../../schemas/products.ts'
import { type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { productContext, toProduct } from './product-json.ts'
import { readProductQuery, resolveFilter } from './product-query.ts'

/** Without the description, whose HTML no spreadsheet shows. */
const COLUMNS: { [header: string]: (product: Product) => CsvCell } = {
  id: ({ id }) => id,
  externalId: ({ externalId }) => externalId,
  name: ({ name }) => name,
  slug: ({ slug }) => slug,
  active: ({ active }) => active,
  available: ({ available }) => available,
  price: ({ price }) => price,
  sitePrice: ({ sitePrice }) => sitePrice,
  finalPrice: ({ finalPrice }) => finalPrice,
  stock: ({ stock }) => stock,
  categoryId: ({ category }) => category?.id,
  category: ({ category }) => category?.name,
  brandId: ({ brand }) => brand?.id,
  brand: ({ brand }) => brand?.name,
  tags: ({ tags }) => tags.map(({ name }) => name).join(', '),
  images: ({ images }) => images.map(({ url }) => url).join(' '),
  metaTitle: ({ metaTitle }) => metaTitle,
  metaDescription: ({ metaDescription }) => metaDescription,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
}

/** Exports the products of staff's list as CSV. @throws AppError 400; 503 */
export function exportProducts(deps: Deps, { delimiter, ...query }: ProductExportQuery): Promise<CsvFile> {
  const list = readProductQuery(query)
  const source = {
    name: 'products',
    header: Object.keys(COLUMNS),
    async listIds() {
      const filter = await resolveFilter(deps, list.filter, true)
      const all = { ...list, page: 0, size: Number.MAX_SAFE_INTEGER }
      return filter === null ? [] : (await deps.productSearch.page(filter, all)).ids
    },
    async readLines(ids: number[]) {
      const context = await productContext(deps, true)
      const products = inOrder(ids, await findProducts(deps.db, ids)).map((row) => toProduct(row, context))
      return products.map((product) => Object.values(COLUMNS).map((cell) => cell(product)))
    },
  }
  return exportCsv(deps, source, delimiter)
}
