import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Id, Nullable } from './common.ts'

export const Brand = Type.Object(
  {
    id: described(Id, 'Id of the brand'),
    externalId: Nullable(Type.String({ description: "The supplier's id" })),
    name: Type.String({ description: 'Name' }),
    productCount: described(Count, 'Active products of the brand'),
  },
  {
    $id: 'Brand',
    description: 'A brand',
    examples: [{ id: 5, externalId: 'B105', name: 'Тармекс', productCount: 132 }],
  },
)
export type Brand = Static<typeof Brand>
