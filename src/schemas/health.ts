import { Type } from '@sinclair/typebox'
import { NamedObject } from './common.ts'

export const Health = NamedObject('Health', 'The service works', {
  status: Type.Literal('UP', { description: 'Always UP: failures are a 503' }),
})
