import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  account: ['Account of the customer', 'Учётная запись покупателя'],
  accountHint: ['Email or name', 'Почта или имя'],
  noAccount: ['Without an account', 'Без учётной записи'],
  number: ['Number', 'Номер'],
  total: ['Total', 'Итого'],
  placed: ['Placed', 'Оформлен'],
  searchHint: ['Number, name, phone or email', 'Номер, имя, телефон или почта'],
  newOrder: ['New order', 'Новый заказ'],
  noOrders: [
    'No orders match. Change the filters, or take an order by phone.',
    'Таких заказов нет. Измените фильтры или примите заказ по телефону.',
  ],
  setStatus: ['Set status', 'Сменить состояние'],
  bulkDone: [(changed: number) => `Changed: ${changed}`, (changed: number) => `Изменено: ${changed}`],
  lines: ['Lines', 'Состав'],
  quantity: ['Quantity', 'Количество'],
  itemsTotal: ['Goods', 'Товары'],
  delivery: ['Delivery', 'Доставка'],
  deliveryCost: ['Delivery cost', 'Стоимость доставки'],
  deliveryMethod: ['Delivery method', 'Способ доставки'],
  deliveryAddress: ['Address', 'Адрес'],
  comment: ["Customer's comment", 'Комментарий покупателя'],
  removeLine: ['Remove line', 'Убрать строку'],
  submit: ['Submit to supplier', 'Отправить поставщику'],
  submitQuestion: [
    'The supplier gets the order as it is now. After that its lines are fixed.',
    'Поставщик получит заказ в нынешнем виде. После этого состав не изменить.',
  ],
  accepted: [
    (id: string) => `The supplier has accepted the order as ${id}.`,
    (id: string) => `Поставщик принял заказ под номером ${id}.`,
  ],
  refused: ['The last submission failed', 'Последняя отправка не удалась'],
  history: ['History', 'История'],
  attempts: ['Submissions', 'Отправки'],
  outcome: texts({
    ACCEPTED: ['Accepted', 'Принят'],
    REFUSED: ['Refused', 'Отклонён'],
    UNCLEAR: ['Unclear', 'Неясно'],
  }),
  slip: ['Packing slip', 'Накладная'],
  slipWithoutPrices: ['Without prices', 'Без цен'],
  place: ['Place order', 'Оформить заказ'],
  placeHint: [
    'Products, then the customer. Prices are those of today.',
    'Сначала товары, затем покупатель. Цены сегодняшние.',
  ],
  noLines: ['No products yet. Find one above.', 'Товаров пока нет. Найдите их выше.'],
  locked: [
    'Lines can be changed in new orders, in work and after errors.',
    'Состав можно менять у новых заказов, в работе и после ошибки.',
  ],
})
