import { texts } from '../../ui/texts.ts'

export const t = texts({
  results: ['Results for', 'Найдено по запросу'],
  all: ['All products', 'Все товары'],
  nothingFor: ['Nothing was found for', 'Ничего не нашлось по запросу'],
  instead: ['Shown instead:', 'Показано вместо этого:'],
})
