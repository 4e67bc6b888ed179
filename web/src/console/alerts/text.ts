import { language } from '../../ui/language.ts'

const en = {
  open: 'Open',
  past: 'Past',
  nothing: 'Nothing is wrong.',
  noPast: 'None so far.',
  since: (time: string) => `since ${time}`,
}

const ru: typeof en = {
  open: 'Открытые',
  past: 'Прошедшие',
  nothing: 'Всё в порядке.',
  noPast: 'Пока не было.',
  since: (time) => `с ${time}`,
}

export const t = language === 'ru' ? ru : en
