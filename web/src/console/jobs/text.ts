import { language } from '../../ui/language.ts'

const en = {
  job: 'Job',
  schedule: 'Schedule (UTC)',
  next: 'Next run',
  last: 'Last run',
  run: 'Run now',
  on: 'By schedule',
  runs: 'Runs',
  never: 'Never',
  runsOn: (instance: string) => `Running on ${instance}`,
}

const ru: typeof en = {
  job: 'Задание',
  schedule: 'Расписание (UTC)',
  next: 'Следующий запуск',
  last: 'Последний запуск',
  run: 'Запустить',
  on: 'По расписанию',
  runs: 'Запуски',
  never: 'Ни разу',
  runsOn: (instance) => `Идёт на ${instance}`,
}

export const t = language === 'ru' ? ru : en
