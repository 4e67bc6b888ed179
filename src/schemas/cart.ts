import { type Static, Type } from '@sinclair/typebox'
import { CART_REASONS } from '../rules/stock/pricing.ts'
import { Id, Nullable } from './common.ts'

export const CartLines = Type.Array(
  Type.Object({ productId: Id, quantity: Type.Integer({ minimum: 1, maximum: 9999 }) }),
  { maxItems: 100 },
)
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
        reason: Nullable(Type.Union(CART_REASONS.map((reason) => Type.Literal(reason)))),
      }),
    ),
  },
  { $id: 'Cart' },
)
export type Cart = Static<typeof Cart>
