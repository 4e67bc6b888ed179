import { language } from '../../ui/language.ts'

const en = {
  results: 'Results for',
  all: 'All products',
  nothingFor: 'Nothing was found for',
  instead: 'Shown instead:',
}

const ru: typeof en = {
  results: 'Найдено по запросу',
  all: 'Все товары',
  nothingFor: 'Ничего не нашлось по запросу',
  instead: 'Показано вместо этого:',
}

export const t = language === 'ru' ? ru : en
