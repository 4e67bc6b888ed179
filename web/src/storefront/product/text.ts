import { withCommon } from '../text.ts'

export const t = withCommon({
  article: ['Article', 'Артикул'],
  attributes: ['Specifications', 'Характеристики'],
  description: ['Description', 'Описание'],
  reviews: ['Reviews', 'Отзывы'],
  similar: ['Others in this category', 'Ещё в этой категории'],
  picture: ['Picture', 'Фото'],
})
