import { type Static, Type } from '@sinclair/typebox'
import { MOST_LINES } from '../rules/orders/lines.ts'
import { CART_REASONS } from '../rules/stock/pricing.ts'
import { Enum, Nullable } from './common.ts'
import { OrderLine } from './orders.ts'

export const CartLines = Type.Array(OrderLine, { maxItems: MOST_LINES })
export type CartLines = Static<typeof CartLines>

/** Contract section 5, "Cart". */
export const Cart = Type.Object(
  {
    valid: Type.Boolean({ description: 'Every line can be ordered as it is' }),
    total: Type.Number({ description: 'Of the lines that can be ordered' }),
    items: Type.Array(
      Type.Object({
        productId: Type.Integer(),
        quantity: Type.Integer(),
        name: Nullable(Type.String()),
        price: Nullable(Type.Number()),
        lineTotal: Nullable(Type.Number()),
        available: Type.Boolean(),
        availableQuantity: Type.Integer(),
        reason: Nullable(Enum(CART_REASONS)),
      }),
    ),
  },
  { $id: 'Cart' },
)
export type Cart = Static<typeof Cart>
