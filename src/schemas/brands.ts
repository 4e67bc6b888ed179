import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './common.ts'

export const Brand = Type.Object(
  {
    id: Type.Integer(),
    externalId: Nullable(Type.String({ description: "The supplier's" })),
    name: Type.String(),
    productCount: Type.Integer({ description: 'Active products' }),
  },
  { $id: 'Brand' },
)
export type Brand = Static<typeof Brand>
