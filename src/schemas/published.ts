import { type TProperties, Type } from '@sinclair/typebox'
import * as t from './common.ts'

/** A 200 with a file instead of JSON. */
export function FileOf<Body>(type: string, description: string, headers?: TProperties) {
  const content = { [type]: { schema: Type.Unsafe<Body>(t.Text(description)) } }
  return { description, content, ...(headers && { headers }) }
}

export const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'Not modified' }))
