import { language } from '../../ui/language.ts'

const en = {
  article: 'Article',
  attributes: 'Specifications',
  description: 'Description',
  reviews: 'Reviews',
  similar: 'Others in this category',
  picture: 'Picture',
}

const ru: typeof en = {
  article: 'Артикул',
  attributes: 'Характеристики',
  description: 'Описание',
  reviews: 'Отзывы',
  similar: 'Ещё в этой категории',
  picture: 'Фото',
}

export const t = language === 'ru' ? ru : en
