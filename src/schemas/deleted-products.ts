import { type Static, Type } from '@sinclair/typebox'
import { described, Nullable, Timestamp } from './common.ts'

const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The supplier's id",
  examples: ['P-1001'],
})

export const DeletedProduct = Type.Object(
  {
    externalId: ExternalId,
    name: Nullable(Type.String({ description: 'Name when it was deleted; null: deleted long ago' })),
    deletedAt: described(Timestamp, 'Time of the deletion'),
  },
  {
    $id: 'DeletedProduct',
    description: "A supplier's product that staff deleted and the sync leaves out",
    examples: [{ externalId: 'P-1001', name: 'Дрель ударная', deletedAt: '2026-11-20T08:00:00.000Z' }],
  },
)
export type DeletedProduct = Static<typeof DeletedProduct>

export const DeletedProductParams = Type.Object({ externalId: ExternalId })
