import { withCommon } from '../text.ts'

export const t = withCommon({
  none: ['No reviews yet. Add one, or import a file.', 'Отзывов пока нет. Добавьте отзыв или загрузите файл.'],
  newReview: ['New review', 'Новый отзыв'],
  author: ['Author', 'Автор'],
  rating: ['Rating', 'Оценка'],
  productHint: ['Id of the product; empty: about the shop', 'Номер товара; пусто: отзыв о магазине'],
  ofShop: ['The shop', 'О магазине'],
  import: ['Import JSON', 'Загрузить JSON'],
  importResult: [
    (created: number, updated: number, unchanged: number) =>
      `Created: ${created}, updated: ${updated}, unchanged: ${unchanged}`,
    (created: number, updated: number, unchanged: number) =>
      `Создано: ${created}, обновлено: ${updated}, без изменений: ${unchanged}`,
  ],
  export: ['Export JSON', 'Выгрузить JSON'],
  notJson: ['The file is no JSON', 'Файл не в формате JSON'],
})
