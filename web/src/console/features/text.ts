import { texts } from '../../ui/texts.ts'

export const t = texts({
  none: [
    'No features yet. They tell why to buy here: delivery, warranty, payment.',
    'Преимуществ пока нет. Они говорят, почему покупать здесь: доставка, гарантия, оплата.',
  ],
  newFeature: ['New feature', 'Новое преимущество'],
  icon: ['Icon', 'Значок'],
})
