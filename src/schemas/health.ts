import { Type } from '@sinclair/typebox'

export const Health = Type.Object(
  { status: Type.Literal('UP', { description: 'Nothing else is ever said; what is down is a 503' }) },
  { $id: 'Health', description: 'All is well', examples: [{ status: 'UP' }] },
)
