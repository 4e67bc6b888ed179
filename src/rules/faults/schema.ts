import type { ErrorObject } from 'ajv'
import { LICENCE_DAY } from '../license.ts'
import { MIN_PHONE_DIGITS } from '../phone.ts'
import { SETTING_KEY } from '../settings/keys.ts'
import { VISIBLE, VISIBLE_LINE } from '../text.ts'
import type { FaultReason } from './sentences.ts'

type Params = ErrorObject['params']

const BY_TYPE: { [type: string]: FaultReason } = {
  string: { code: 'NOT_TEXT' },
  number: { code: 'NOT_NUMBER' },
  integer: { code: 'NOT_INTEGER' },
  boolean: { code: 'NOT_BOOLEAN' },
  array: { code: 'NOT_LIST' },
  object: { code: 'NOT_OBJECT' },
  null: { code: 'NOT_NULL' },
}

export const BY_FORMAT: { [format: string]: FaultReason } = {
  amount: { code: 'TOO_MANY_DECIMALS' },
  date: { code: 'NOT_DATE' },
  'date-time': { code: 'NOT_TIMESTAMP' },
  email: { code: 'NOT_EMAIL' },
  'email-or-blank': { code: 'NOT_EMAIL' },
  'http-url': { code: 'NOT_URL' },
  int64: { code: 'NOT_INTEGER' },
  'link-or-blank': { code: 'NOT_LINK' },
  password: { code: 'PASSWORD_TOO_LONG' },
  phone: { code: 'TOO_FEW_DIGITS', params: { min: MIN_PHONE_DIGITS } },
  slug: { code: 'NOT_SLUG' },
}

export const BY_PATTERN: { [pattern: string]: FaultReason } = {
  [VISIBLE.source]: { code: 'EMPTY' },
  [VISIBLE_LINE.source]: { code: 'EMPTY' },
  [LICENCE_DAY]: { code: 'NOT_DATE' },
  [SETTING_KEY]: { code: 'NOT_SETTING_KEY' },
}

const WRONG_FORM: FaultReason = { code: 'WRONG_FORM' }

export const BY_KEYWORD: { [keyword: string]: (params: Params) => FaultReason } = {
  required: () => ({ code: 'EMPTY' }),
  additionalProperties: () => ({ code: 'UNKNOWN_FIELD' }),
  type: ({ type }) => BY_TYPE[[type].flat()[0]] ?? WRONG_FORM,
  minLength: ({ limit }) => (limit === 1 ? { code: 'EMPTY' } : { code: 'TOO_SHORT', params: { min: limit } }),
  maxLength: ({ limit }) => ({ code: 'TOO_LONG', params: { max: limit } }),
  minItems: ({ limit }) => (limit === 1 ? { code: 'EMPTY' } : { code: 'TOO_FEW_ITEMS', params: { min: limit } }),
  maxItems: ({ limit }) => ({ code: 'TOO_MANY_ITEMS', params: { max: limit } }),
  minProperties: () => ({ code: 'EMPTY' }),
  maxProperties: ({ limit }) => ({ code: 'TOO_MANY_ITEMS', params: { max: limit } }),
  uniqueItems: () => ({ code: 'DUPLICATE_ITEMS' }),
  minimum: ({ limit }) => ({ code: 'TOO_SMALL', params: { min: limit } }),
  exclusiveMinimum: ({ limit }) => ({ code: 'NOT_ABOVE', params: { limit } }),
  maximum: ({ limit }) => ({ code: 'TOO_LARGE', params: { max: limit } }),
  enum: ({ allowedValues }) => ({ code: 'NOT_ONE_OF', params: { values: allowedValues } }),
  const: () => ({ code: 'NOT_THE_CONSTANT' }),
  anyOf: () => WRONG_FORM,
  format: ({ format }) => BY_FORMAT[format] ?? WRONG_FORM,
  pattern: ({ pattern }) => BY_PATTERN[pattern] ?? WRONG_FORM,
  'x-maxBytes': () => ({ code: 'DOCUMENT_TOO_LONG' }),
  // Keywords of our own, whose rules say what is wrong.
  parse: ({ reason }) => reason,
  parseMembers: ({ reason }) => reason,
  storable: ({ reason }) => reason,
}

/** What a fault that Ajv found means for a form. */
export function reasonOf(keyword: string, params: Params): FaultReason {
  return BY_KEYWORD[keyword]?.(params) ?? WRONG_FORM
}
