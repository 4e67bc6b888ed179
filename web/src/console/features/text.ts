import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No features yet. They tell why to buy here: delivery, warranty, payment.',
    'Преимуществ пока нет. Они говорят, почему покупать здесь: доставка, гарантия, оплата.',
  ],
  newFeature: ['New feature', 'Новое преимущество'],
  icon: ['Icon', 'Значок'],
})
