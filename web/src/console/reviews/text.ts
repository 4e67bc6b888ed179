import { language } from '../../ui/language.ts'

const en = {
  none: 'No reviews yet. Add one, or import a file.',
  newReview: 'New review',
  author: 'Author',
  rating: 'Rating',
  text: 'Text',
  date: 'Date',
  product: 'Product',
  productHint: 'Id of the product; empty: about the shop',
  ofShop: 'The shop',
  import: 'Import JSON',
  importResult: (created: number, updated: number, unchanged: number) =>
    `Created: ${created}, updated: ${updated}, unchanged: ${unchanged}`,
  export: 'Export JSON',
  notJson: 'The file is no JSON',
}

const ru: typeof en = {
  none: 'Отзывов пока нет. Добавьте отзыв или загрузите файл.',
  newReview: 'Новый отзыв',
  author: 'Автор',
  rating: 'Оценка',
  text: 'Текст',
  date: 'Дата',
  product: 'Товар',
  productHint: 'Номер товара; пусто: отзыв о магазине',
  ofShop: 'О магазине',
  import: 'Загрузить JSON',
  importResult: (created, updated, unchanged) =>
    `Создано: ${created}, обновлено: ${updated}, без изменений: ${unchanged}`,
  export: 'Выгрузить JSON',
  notJson: 'Файл не в формате JSON',
}

export const t = language === 'ru' ? ru : en
