import { language } from '../../ui/language.ts'

const en = {
  none: 'No tags yet. A tag has a page of its own with all of its products, such as “Sale”.',
  newTag: 'New tag',
  products: 'Products',
  enabled: 'Has a page in the shop',
  slugHint: 'Empty: made from the name',
}

const ru: typeof en = {
  none: 'Меток пока нет. У метки есть своя страница со всеми её товарами, например «Распродажа».',
  newTag: 'Новая метка',
  products: 'Товары',
  enabled: 'Есть страница в магазине',
  slugHint: 'Если пусто, из названия',
}

export const t = language === 'ru' ? ru : en
