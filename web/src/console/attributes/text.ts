import { withCommon } from '../text.ts'

export const t = withCommon({
  hint: [
    'Filters show the filterable ones, by position and then by the number of products.',
    'В фильтрах стоят отмеченные: по месту, затем по числу товаров.',
  ],
  none: ['No attributes. They come with products.', 'Характеристик нет. Они приходят с товарами.'],
  values: ['Values', 'Значения'],
  filterable: ['In filters', 'В фильтрах'],
  byValues: ['By the number of values (2 to 100)', 'По числу значений (от 2 до 100)'],
  unit: ['Unit', 'Единица'],
  rules: ['Rules', 'Правила'],
  rulesHint: [
    'Rename or drop attributes of the supplier. They apply with the next sync.',
    'Переименовать или убрать характеристики поставщика. Действуют со следующей синхронизации.',
  ],
  noRules: ['No rules.', 'Правил нет.'],
  newRule: ['New rule', 'Новое правило'],
  alias: ['As the supplier writes it', 'Как пишет поставщик'],
  shownAs: ['Shown as', 'Показывать как'],
  ignore: ['Leave out', 'Не показывать'],
})
