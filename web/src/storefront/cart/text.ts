import { language } from '../../ui/language.ts'

const en = {
  total: 'Total',
  checkout: 'To checkout',
  fix: 'Some products cannot be ordered like this. Change or remove them.',
  empty: 'Your cart is empty',
  emptyExplained: 'Choose something from the catalogue, or use the search above.',
  gone: 'This product is no longer sold',
  quantity: 'Quantity',
  less: 'One less',
  more: 'One more',
  remove: 'Remove',
  take: 'Take',
  reasons: {
    NOT_FOUND: 'No longer sold',
    NO_PRICE: 'Has no price at the moment',
    INVALID_QUANTITY: 'This quantity cannot be ordered',
    OUT_OF_STOCK: 'Out of stock',
    NOT_ENOUGH: 'Left in stock',
  },
}

const ru: typeof en = {
  total: 'Итого',
  checkout: 'Оформить заказ',
  fix: 'Некоторые товары так заказать нельзя. Измените количество или уберите их.',
  empty: 'Корзина пуста',
  emptyExplained: 'Выберите что-нибудь в каталоге или воспользуйтесь поиском.',
  gone: 'Этот товар больше не продаётся',
  quantity: 'Количество',
  less: 'На один меньше',
  more: 'На один больше',
  remove: 'Убрать',
  take: 'Взять',
  reasons: {
    NOT_FOUND: 'Больше не продаётся',
    NO_PRICE: 'Сейчас без цены',
    INVALID_QUANTITY: 'Столько заказать нельзя',
    OUT_OF_STOCK: 'Нет в наличии',
    NOT_ENOUGH: 'Осталось',
  },
}

export const t = language === 'ru' ? ru : en
