import { Type } from '@sinclair/typebox'
import * as t from './common.ts'

export const Health = t.NamedObject('Health', 'The service is up', {
  status: Type.Literal('UP', { description: 'Always UP: failures are a 503' }),
})
