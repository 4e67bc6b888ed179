import { withCommon } from '../text.ts'

export const t = withCommon({
  results: ['Results for', 'Найдено по запросу'],
  all: ['All products', 'Все товары'],
  nothingFor: ['Nothing was found for', 'Ничего не нашлось по запросу'],
  instead: ['Shown instead:', 'Показано вместо этого:'],
})
