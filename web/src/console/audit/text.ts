import { language } from '../../ui/language.ts'

const en = {
  none: 'Nothing was changed by these filters.',
  who: 'Who',
  whoHint: 'Email or name of a key',
  entity: 'What',
  when: 'When',
  actions: { CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' },
  before: 'Before',
  after: 'After',
  field: 'Field',
  customer: 'Customer',
  service: 'Shop',
  details: 'Show',
}

const ru: typeof en = {
  none: 'По этим фильтрам изменений нет.',
  who: 'Кто',
  whoHint: 'Почта или название ключа',
  entity: 'Что',
  when: 'Когда',
  actions: { CREATE: 'создано', UPDATE: 'изменено', DELETE: 'удалено' },
  before: 'Было',
  after: 'Стало',
  field: 'Поле',
  customer: 'Покупатель',
  service: 'Магазин',
  details: 'Показать',
}

export const t = language === 'ru' ? ru : en
