import { type Static, Type } from '@sinclair/typebox'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import { Count, described, Id, Money, Nullable, ref } from './common.ts'
import { CartReason } from './errors.ts'
import { OrderLine } from './orders.ts'

export const CartLines = Type.Array(ref(OrderLine), {
  $id: 'CartLines',
  maxItems: MAX_ORDER_LINES,
  description: 'What is in the cart',
  examples: [
    [
      { productId: 1, quantity: 2 },
      { productId: 999_999, quantity: 1 },
    ],
  ],
})
export type CartLines = Static<typeof CartLines>

export const CartItem = Type.Object(
  {
    productId: described(Id, 'The product, as asked'),
    quantity: described(Count, 'How many, as asked'),
    name: Nullable(Type.String({ description: 'Its name; null: there is no such product' })),
    price: Nullable(described(Money, 'What one costs now; null: none or no such product')),
    lineTotal: Nullable(Type.Number({ minimum: 0, description: 'price × quantity' })),
    available: Type.Boolean({ description: 'Whether the line can be ordered as it is' }),
    availableQuantity: described(Count, 'How many can be had now'),
    reason: Nullable(ref(CartReason), { description: 'Why the line can not be ordered; null: it can' }),
  },
  {
    $id: 'CartItem',
    description: 'A line of the cart as it stands now',
    examples: [
      {
        productId: 1,
        quantity: 2,
        name: 'Розетка умная Teqora РУ-14М, 14 А',
        price: 744,
        lineTotal: 1488,
        available: true,
        availableQuantity: 113,
        reason: null,
      },
      {
        productId: 999_999,
        quantity: 1,
        name: null,
        price: null,
        lineTotal: null,
        available: false,
        availableQuantity: 0,
        reason: 'NOT_FOUND',
      },
    ],
  },
)

/** Contract section 5, "Cart". */
export const Cart = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether every line can be ordered as it is' }),
    total: Type.Number({ minimum: 0, description: 'Sum of the lines that can be ordered' }),
    items: Type.Array(ref(CartItem), { description: 'The lines, in the order asked' }),
  },
  {
    $id: 'Cart',
    description: 'What the cart costs now, and whether it could be ordered',
    examples: [{ valid: false, total: 1488, items: CartItem.examples }],
  },
)
export type Cart = Static<typeof Cart>
