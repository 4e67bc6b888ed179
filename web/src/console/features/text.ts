import { language } from '../../ui/language.ts'

const en = {
  none: 'No features yet. They tell why to buy here: delivery, warranty, payment.',
  newFeature: 'New feature',
  title: 'Title',
  icon: 'Icon',
  linkUrl: 'Link',
}

const ru: typeof en = {
  none: 'Преимуществ пока нет. Они говорят, почему покупать здесь: доставка, гарантия, оплата.',
  newFeature: 'Новое преимущество',
  title: 'Заголовок',
  icon: 'Значок',
  linkUrl: 'Ссылка',
}

export const t = language === 'ru' ? ru : en
