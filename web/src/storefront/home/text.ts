import { language } from '../../ui/language.ts'

const en = {
  popular: 'Popular products',
  reviews: 'What customers say',
  features: 'Why us',
  more: 'Learn more',
  filling: 'The shop is being filled. Products appear within a minute.',
}

const ru: typeof en = {
  popular: 'Популярные товары',
  reviews: 'Что говорят покупатели',
  features: 'Почему мы',
  more: 'Подробнее',
  filling: 'Магазин наполняется. Товары появятся в течение минуты.',
}

export const t = language === 'ru' ? ru : en
