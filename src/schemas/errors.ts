import { type Static, Type } from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import { CART_REASONS } from '../rules/stock/pricing.ts'
import * as t from './common.ts'

export const ErrorCode = t.NamedEnum('ErrorCode', 'Machine-readable reason', ERROR_CODES)

export const CartReason = t.NamedEnum(
  'CartReason',
  'Why a line cannot be ordered: no such product, no price, a quantity outside the limits of an order, out of stock, or not enough in stock',
  CART_REASONS,
)

const ErrorDetail = t.NamedObject('ErrorDetail', 'One fault of the input', {
  path: t.Text(
    'Path in the body, members separated by dots; elsewhere it begins with `querystring.`, `params.` or `headers.`',
    'items.0.quantity',
  ),
  message: t.Text('A sentence for a form, in English or Russian by `Accept-Language`', 'The smallest value is 1'),
  reason: Type.Optional(t.ref(CartReason)),
  availableQuantity: Type.Optional(t.Count('With `reason`: quantity in stock')),
})

/** Every error but the 401 (docs/http.md). */
const ErrorBody = t.NamedObject('ErrorBody', 'An error', {
  error: t.Text('HTTP reason phrase', 'Bad Request'),
  code: t.ref(ErrorCode),
  message: t.Text('Human-readable explanation', 'The request is not valid'),
  details: Type.Optional(t.List(ErrorDetail, 'Faults of the input')),
  runId: Type.Optional(t.Id('With SYNC_RUNNING, PIPELINE_RUNNING and JOB_RUNNING: id of the current run')),
  instance: Type.Optional(t.Text('With JOB_RUNNING: host and process id of the instance')),
  current: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'With STALE: the current record' })),
  requestId: t.Text('Identifies the request in the logs', '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11'),
})

export const Unauthorized = Type.Object(
  { error: Type.Literal('Unauthorized', { description: 'Always the same' }) },
  {
    $id: 'Unauthorized',
    additionalProperties: false,
    description: 'No valid token, or wrong credentials',
    examples: [{ error: 'Unauthorized' }],
  },
)

export const LoginRefused = Type.Object(
  {
    error: Type.Literal('Unauthorized', { description: 'Always the same' }),
    code: Type.Optional(
      Type.Literal('TOTP_REQUIRED', { description: 'The password is right: repeat the login with a `code`' }),
    ),
  },
  {
    $id: 'LoginRefused',
    additionalProperties: false,
    description: 'Unknown email, wrong password, or a code that is wrong or missing',
    examples: [{ error: 'Unauthorized' }],
  },
)

export type ErrorCode = Static<typeof ErrorCode>

/** Declares an error status of a route; those that follow from its access and input are added automatically. */
export const Failure = t.ref(ErrorBody)

/** A 409 of a route. @param codes its possible codes */
export function Conflict(...codes: [ErrorCode, ...ErrorCode[]]) {
  const description = `The request conflicts with the current state: ${codes.map((code) => `\`${code}\``).join(', ')}`
  return { ...Failure, description }
}
