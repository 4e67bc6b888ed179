import { type Static, Type } from '@sinclair/typebox'
import { NamedObject, Nullable, Text, Timestamp, Word } from './common.ts'

const ExternalId = Word(200, "The supplier's id", 'P-1001')

export const DeletedProduct = NamedObject(
  'DeletedProduct',
  "A supplier's product that staff deleted and the sync leaves out",
  {
    externalId: ExternalId,
    name: Nullable(Text('Name when it was deleted; null: deleted long ago', 'Дрель ударная')),
    deletedAt: Timestamp('Time of the deletion'),
  },
)
export type DeletedProduct = Static<typeof DeletedProduct>

export const DeletedProductParams = Type.Object({ externalId: ExternalId })
