import { Type } from '@sinclair/typebox'

export const Health = Type.Object({ status: Type.Literal('UP') })
