import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No tags yet. A tag has a page of its own with all of its products, such as “Sale”.',
    'Меток пока нет. У метки есть своя страница со всеми её товарами, например «Распродажа».',
  ],
  newTag: ['New tag', 'Новая метка'],
  enabled: ['Has a page in the shop', 'Есть страница в магазине'],
  newSlugHint: ['Empty: made from the name', 'Если пусто, из названия'],
})
