import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  total: ['Total', 'Итого'],
  checkout: ['To checkout', 'Оформить заказ'],
  fix: [
    'Some products cannot be ordered like this. Change or remove them.',
    'Некоторые товары так заказать нельзя. Измените количество или уберите их.',
  ],
  empty: ['Your cart is empty', 'Корзина пуста'],
  emptyExplained: [
    'Choose something from the catalogue, or use the search above.',
    'Выберите что-нибудь в каталоге или воспользуйтесь поиском.',
  ],
  gone: ['This product is no longer sold', 'Этот товар больше не продаётся'],
  quantity: ['Quantity', 'Количество'],
  less: ['One less', 'На один меньше'],
  more: ['One more', 'На один больше'],
  remove: ['Remove', 'Убрать'],
  take: ['Take', 'Взять'],
  reasons: texts({
    NOT_FOUND: ['No longer sold', 'Больше не продаётся'],
    NO_PRICE: ['Has no price at the moment', 'Сейчас без цены'],
    INVALID_QUANTITY: ['This quantity cannot be ordered', 'Столько заказать нельзя'],
    OUT_OF_STOCK: ['Out of stock', 'Нет в наличии'],
    NOT_ENOUGH: ['Left in stock', 'Осталось'],
  }),
})
