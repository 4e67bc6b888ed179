import { language } from '../../ui/language.ts'

const en = {
  hint: 'Filters show the filterable ones, by position and then by the number of products.',
  none: 'No attributes. They come with products.',
  products: 'Products',
  values: 'Values',
  filterable: 'In filters',
  byValues: 'By the number of values (2 to 100)',
  unit: 'Unit',
  rules: 'Rules',
  rulesHint: 'Rename or drop attributes of the supplier. They apply with the next sync.',
  noRules: 'No rules.',
  newRule: 'New rule',
  alias: 'As the supplier writes it',
  shownAs: 'Shown as',
  ignore: 'Leave out',
  find: 'Name',
}

const ru: typeof en = {
  hint: 'В фильтрах стоят отмеченные: по месту, затем по числу товаров.',
  none: 'Характеристик нет. Они приходят с товарами.',
  products: 'Товары',
  values: 'Значения',
  filterable: 'В фильтрах',
  byValues: 'По числу значений (от 2 до 100)',
  unit: 'Единица',
  rules: 'Правила',
  rulesHint: 'Переименовать или убрать характеристики поставщика. Действуют со следующей синхронизации.',
  noRules: 'Правил нет.',
  newRule: 'Новое правило',
  alias: 'Как пишет поставщик',
  shownAs: 'Показывать как',
  ignore: 'Не показывать',
  find: 'Название',
}

export const t = language === 'ru' ? ru : en
