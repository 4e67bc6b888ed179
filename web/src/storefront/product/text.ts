import { texts } from '../../ui/texts.ts'

export const t = texts({
  article: ['Article', 'Артикул'],
  attributes: ['Specifications', 'Характеристики'],
  description: ['Description', 'Описание'],
  reviews: ['Reviews', 'Отзывы'],
  similar: ['Others in this category', 'Ещё в этой категории'],
  picture: ['Picture', 'Фото'],
})
