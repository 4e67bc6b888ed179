import { language } from '../../ui/language.ts'

const en = {
  none: 'No brands. They come with the supplier’s catalogue.',
  products: 'Products',
  supplierName: 'Supplier’s name',
  find: 'Name of the brand',
  html: 'HTML',
}

const ru: typeof en = {
  none: 'Брендов нет. Они приходят с каталогом поставщика.',
  products: 'Товары',
  supplierName: 'Название у поставщика',
  find: 'Название бренда',
  html: 'HTML',
}

export const t = language === 'ru' ? ru : en
