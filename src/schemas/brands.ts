import type { Static } from '@sinclair/typebox'
import { Count, described, Id, NamedObject, Nullable, Text } from './common.ts'

export const Brand = NamedObject('Brand', 'A brand', {
  id: described(Id, 'Id of the brand'),
  externalId: Nullable(Text("The supplier's id", 'B105')),
  name: Text('Name', 'Тармекс'),
  productCount: described(Count, 'Active products of the brand'),
})
export type Brand = Static<typeof Brand>
