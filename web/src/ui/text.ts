import { texts } from './texts.ts'

/** Texts of the components that pages share. */
export const t = texts({
  save: ['Save', 'Сохранить'],
  saved: ['Saved', 'Сохранено'],
  cancel: ['Cancel', 'Отмена'],
  close: ['Close', 'Закрыть'],
  copy: ['Copy', 'Копировать'],
  back: ['Back to the form', 'Вернуться к форме'],
  loading: ['Loading…', 'Загрузка…'],
  nothingFound: ['Nothing found', 'Ничего не найдено'],
  repeat: ['Repeat', 'Повторить'],
  failed: ['The request failed', 'Запрос не удался'],
  noConnection: ['No connection to the shop', 'Нет связи с магазином'],
  requestId: [(id: string) => `Request ${id}`, (id: string) => `Запрос ${id}`],
  conflict: ['Somebody else saved first', 'Кто-то сохранил раньше'],
  conflictExplained: [
    'The record has changed since you opened it. These values differ:',
    'Запись изменилась с тех пор, как вы её открыли. Различаются:',
  ],
  conflictElsewhere: [
    'The record has changed since you opened it, but not in what you edit.',
    'Запись изменилась с тех пор, как вы её открыли, но не в том, что вы правите.',
  ],
  field: ['Field', 'Поле'],
  mine: ['Yours', 'Ваше'],
  theirs: ['Saved now', 'Сохранено'],
  keepMine: ['Save mine', 'Сохранить моё'],
  takeTheirs: ['Take what is saved', 'Взять сохранённое'],
  pageOf: [
    (page: number, pages: number) => `Page ${page} of ${pages}`,
    (page: number, pages: number) => `Страница ${page} из ${pages}`,
  ],
  records: [(count: string) => `${count} records`, (count: string) => `Записей: ${count}`],
  previous: ['Previous', 'Назад'],
  next: ['Next', 'Вперёд'],
  search: ['Search', 'Поиск'],
  all: ['All', 'Все'],
  active: ['Active', 'Включено'],
  inactive: ['Inactive', 'Выключено'],
  select: ['Select', 'Выбрать'],
  selectAll: ['Select all of this page', 'Выбрать все на странице'],
})
