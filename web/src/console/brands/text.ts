import { withCommon } from '../text.ts'

export const t = withCommon({
  none: ['No brands. They come with the supplier’s catalogue.', 'Брендов нет. Они приходят с каталогом поставщика.'],
  supplierName: ['Supplier’s name', 'Название у поставщика'],
  find: ['Name of the brand', 'Название бренда'],
})
