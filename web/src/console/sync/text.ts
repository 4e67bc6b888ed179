import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  run: ['Sync now', 'Синхронизировать'],
  full: ['Full sync', 'Полная синхронизация'],
  fullHint: [
    'Reads the whole catalogue; heals what the usual sync can’t see.',
    'Читает весь каталог; исправляет то, чего обычная не видит.',
  ],
  accept: ['Accept missing products', 'Принять пропажу товаров'],
  acceptQuestion: [
    'More than a fifth of the products is missing at the supplier. Only if that is right: they become inactive.',
    'У поставщика пропало больше пятой части товаров. Только если так и должно быть: они будут выключены.',
  ],
  reset: ['Forget the last times', 'Забыть времена чтения'],
  resetQuestion: [
    'The next sync reads everything, as in a new shop. Nothing is deleted.',
    'Следующая синхронизация прочитает всё, как в новом магазине. Ничего не удаляется.',
  ],
  lastTimes: ['Read up to', 'Прочитано до'],
  types: texts({
    CATEGORIES: ['Categories', 'Категории'],
    BRANDS: ['Brands', 'Бренды'],
    PRODUCTS: ['Products', 'Товары'],
  }),
  triggers: texts({
    CRON: ['by schedule', 'по расписанию'],
    MANUAL: ['by hand', 'вручную'],
    START: ['at the start', 'при запуске'],
  }),
  history: ['History', 'История'],
  none: ['No sync yet. Start the first one.', 'Синхронизаций ещё не было. Запустите первую.'],
  seen: ['Read', 'Прочитано'],
  created: ['New', 'Новых'],
  updated: ['Changed', 'Изменено'],
  unchanged: ['Unchanged', 'Без изменений'],
  skipped: ['Skipped', 'Пропущено'],
  deactivated: ['Switched off', 'Выключено'],
  feed: ['Feed', 'Фид'],
  offers: [(count: string) => `${count} offers`, (count: string) => `предложений: ${count}`],
  fullLoad: ['full', 'полностью'],
  skippedRecords: ['Skipped records', 'Пропущенные записи'],
  running: ['Running now', 'Идёт сейчас'],
  deleted: ['Deleted products', 'Удалённые товары'],
  deletedHint: [
    'Products that staff deleted. A sync brings one back only after it is restored here.',
    'Товары, удалённые сотрудниками. Синхронизация вернёт товар, только если его здесь восстановить.',
  ],
  noDeleted: ['None.', 'Нет.'],
  restore: ['Restore', 'Восстановить'],
})
