import { language } from '../../ui/language.ts'

const en = {
  order: 'Order',
  delivery: 'Delivery',
  total: 'Total',
  cancel: 'Cancel the order',
  sure: 'Cancel this order?',
  yes: 'Yes, cancel it',
  no: 'No, keep it',
  keepLink: 'Keep the address of this page: it shows the state of the order to anyone who has it.',
  statuses: {
    NEW: 'Received',
    PROCESSING: 'In progress',
    SENT: 'On its way',
    ERROR: 'In progress',
    CANCELLED: 'Cancelled',
    COMPLETED: 'Completed',
    ARCHIVED: 'Completed',
  },
  explained: {
    NEW: 'We will call you to confirm it.',
    PROCESSING: 'We are putting it together.',
    SENT: 'It was handed over for delivery.',
    ERROR: 'We are putting it together.',
    CANCELLED: 'Nothing will be delivered.',
    COMPLETED: 'Thank you for your purchase.',
    ARCHIVED: 'Thank you for your purchase.',
  },
}

const ru: typeof en = {
  order: 'Заказ',
  delivery: 'Доставка',
  total: 'Итого',
  cancel: 'Отменить заказ',
  sure: 'Отменить этот заказ?',
  yes: 'Да, отменить',
  no: 'Нет, оставить',
  keepLink: 'Сохраните адрес этой страницы: она показывает состояние заказа каждому, у кого он есть.',
  statuses: {
    NEW: 'Принят',
    PROCESSING: 'В работе',
    SENT: 'В пути',
    ERROR: 'В работе',
    CANCELLED: 'Отменён',
    COMPLETED: 'Выполнен',
    ARCHIVED: 'Выполнен',
  },
  explained: {
    NEW: 'Мы позвоним, чтобы подтвердить его.',
    PROCESSING: 'Мы его собираем.',
    SENT: 'Он передан в доставку.',
    ERROR: 'Мы его собираем.',
    CANCELLED: 'Ничего доставлено не будет.',
    COMPLETED: 'Спасибо за покупку.',
    ARCHIVED: 'Спасибо за покупку.',
  },
}

export const t = language === 'ru' ? ru : en
