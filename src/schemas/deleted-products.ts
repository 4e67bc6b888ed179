import { type Static, Type } from '@sinclair/typebox'
import { described, NamedObject, Nullable, Text, Timestamp } from './common.ts'

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The supplier's id",
  examples: ['P-1001'],
})

export const DeletedProduct = NamedObject(
  'DeletedProduct',
  "A supplier's product that staff deleted and the sync leaves out",
  {
    externalId: ExternalId,
    name: Nullable(Text('Name when it was deleted; null: deleted long ago', 'Дрель ударная')),
    deletedAt: described(Timestamp, 'Time of the deletion'),
  },
)
export type DeletedProduct = Static<typeof DeletedProduct>

export const DeletedProductParams = Type.Object({ externalId: ExternalId })
