import { type Static, Type } from '@sinclair/typebox'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import * as t from './common.ts'
import { CartReason } from './errors.ts'
import { OrderLine } from './orders.ts'

/** Not limited to what an order may have: one line that can't be ordered must not hide the others. */
const Quantity = Type.Integer({
  format: 'int64',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Pieces; a quantity outside the limits of an order makes the line unavailable',
})

const CartLine = t.NamedObject('CartLine', 'A product and the quantity wanted', {
  productId: OrderLine.properties.productId,
  quantity: Quantity,
})

export const CartLines = Type.Array(t.ref(CartLine), {
  $id: 'CartLines',
  maxItems: MAX_ORDER_LINES,
  description: 'Lines of a cart',
  examples: [CartLine.examples],
})
export type CartLines = Static<typeof CartLines>

const CartItem = t.NamedObject('CartItem', 'A cart line with its price and availability', {
  productId: t.Id('Product as requested'),
  quantity: { ...Quantity, description: 'Quantity as requested', examples: [2] },
  name: t.Nullable(t.Text('Name, or null for an unknown product', 'Розетка умная Teqora РУ-14М, 14 А')),
  slug: t.Nullable(t.Text('Slug, or null for an unknown product', 'rozetka-umnaya-teqora-ru-14m-14-a')),
  imageUrl: t.Nullable(t.Text('Path of the main image, or null if there is none', '/api/v1/images/31?v=2c26b46b68ff')),
  price: t.Nullable(t.Money('Current price; null or 0: no price', 744)),
  lineTotal: t.Nullable(t.Total('price × quantity, or null if one of them is missing', 1488)),
  available: Type.Boolean({ description: 'Whether the line can be ordered' }),
  availableQuantity: t.Count('Available quantity', 113),
  reason: t.Nullable(t.ref(CartReason), { description: 'Why the line is unavailable, or null', examples: [null] }),
})

export const CartQuery = Type.Object({
  deliveryMethod: Type.Optional(t.FreeText(100, 'Code of a method of the setting `delivery_methods`', 'courier')),
})
export type CartQuery = Static<typeof CartQuery>

export const Cart = t.NamedObject('Cart', 'A cart with prices and availability', {
  valid: Type.Boolean({ description: 'Whether every line can be ordered' }),
  total: t.Total('Sum of the available lines, with the delivery if its method was given', 1488),
  deliveryCost: t.Nullable(t.Money('What the delivery costs; null: no method was given', 300), { examples: [null] }),
  items: t.List(CartItem, 'Lines in the order of the request'),
})
export type Cart = Static<typeof Cart>
