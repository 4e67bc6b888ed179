import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  order: ['Order', 'Заказ'],
  delivery: ['Delivery', 'Доставка'],
  total: ['Total', 'Итого'],
  cancel: ['Cancel the order', 'Отменить заказ'],
  sure: ['Cancel this order?', 'Отменить этот заказ?'],
  yes: ['Yes, cancel it', 'Да, отменить'],
  no: ['No, keep it', 'Нет, оставить'],
  keepLink: [
    'Keep the address of this page: it shows the state of the order to anyone who has it.',
    'Сохраните адрес этой страницы: она показывает состояние заказа каждому, у кого он есть.',
  ],
  statuses: texts({
    NEW: ['Received', 'Принят'],
    PROCESSING: ['In progress', 'В работе'],
    SENT: ['On its way', 'В пути'],
    ERROR: ['In progress', 'В работе'],
    CANCELLED: ['Cancelled', 'Отменён'],
    COMPLETED: ['Completed', 'Выполнен'],
    ARCHIVED: ['Completed', 'Выполнен'],
  }),
  explained: texts({
    NEW: ['We will call you to confirm it.', 'Мы позвоним, чтобы подтвердить его.'],
    PROCESSING: ['We are putting it together.', 'Мы его собираем.'],
    SENT: ['It was handed over for delivery.', 'Он передан в доставку.'],
    ERROR: ['We are putting it together.', 'Мы его собираем.'],
    CANCELLED: ['Nothing will be delivered.', 'Ничего доставлено не будет.'],
    COMPLETED: ['Thank you for your purchase.', 'Спасибо за покупку.'],
    ARCHIVED: ['Thank you for your purchase.', 'Спасибо за покупку.'],
  }),
})
