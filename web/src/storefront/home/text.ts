import { withCommon } from '../text.ts'

export const t = withCommon({
  popular: ['Popular products', 'Популярные товары'],
  reviews: ['What customers say', 'Что говорят покупатели'],
  features: ['Why us', 'Почему мы'],
  more: ['Learn more', 'Подробнее'],
  filling: [
    'The shop is being filled. Products appear within a minute.',
    'Магазин наполняется. Товары появятся в течение минуты.',
  ],
})
