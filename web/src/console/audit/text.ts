import { texts } from '../../ui/texts.ts'

export const t = texts({
  none: ['Nothing was changed by these filters.', 'По этим фильтрам изменений нет.'],
  who: ['Who', 'Кто'],
  whoHint: ['Email or name of a key', 'Почта или название ключа'],
  entity: ['What', 'Что'],
  when: ['When', 'Когда'],
  actions: texts({
    CREATE: ['created', 'создано'],
    UPDATE: ['changed', 'изменено'],
    DELETE: ['deleted', 'удалено'],
  }),
  customer: ['Customer', 'Покупатель'],
  service: ['Shop', 'Магазин'],
})
