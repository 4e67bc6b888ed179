import { withCommon } from '../text.ts'

export const t = withCommon({
  job: ['Job', 'Задание'],
  next: ['Next run', 'Следующий запуск'],
  last: ['Last run', 'Последний запуск'],
  run: ['Run now', 'Запустить'],
  on: ['By schedule', 'По расписанию'],
  runs: ['Runs', 'Запуски'],
})
