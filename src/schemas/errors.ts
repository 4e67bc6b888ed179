import { type Static, Type } from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import { CART_REASONS } from '../rules/stock/pricing.ts'
import { Count, described, Enum, Id, ref } from './common.ts'

export const ErrorCode = Enum(ERROR_CODES, {
  $id: 'ErrorCode',
  description: 'Machine-readable reason',
})

export const CartReason = Enum(CART_REASONS, {
  $id: 'CartReason',
  description:
    'Why a line cannot be ordered: no such product, no price, a quantity that no order may have, out of stock, or not enough in stock',
})

export const ErrorDetail = Type.Object(
  {
    path: Type.String({ description: 'Path in the request, members separated by dots' }),
    message: Type.String({
      description: 'A sentence for a form, in English or Russian by `Accept-Language`',
    }),
    reason: Type.Optional(ref(CartReason)),
    availableQuantity: Type.Optional(described(Count, 'With `reason`: quantity in stock')),
  },
  {
    $id: 'ErrorDetail',
    description: 'One fault of the input',
    examples: [{ path: 'items.0.quantity', message: 'The smallest value is 1' }],
  },
)

/** Every error but the 401 (contract section 1, "Errors"). */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'HTTP reason phrase' }),
    code: ref(ErrorCode),
    message: Type.String({ description: 'Human-readable explanation' }),
    details: Type.Optional(Type.Array(ref(ErrorDetail), { description: 'Faults of the input' })),
    runId: Type.Optional(
      described(Id, 'With SYNC_RUNNING, PIPELINE_RUNNING and JOB_RUNNING: id of the current run'),
    ),
    instance: Type.Optional(
      Type.String({ description: 'With JOB_RUNNING: host and process id of the instance' }),
    ),
    current: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'With STALE: the current record' }),
    ),
    requestId: Type.String({ description: 'Identifies the request in the logs' }),
  },
  {
    $id: 'ErrorBody',
    description: 'An error',
    examples: [
      {
        error: 'Bad Request',
        code: 'VALIDATION_FAILED',
        message: 'The request is not valid',
        details: [{ path: 'items.0.quantity', message: 'The smallest value is 1' }],
        requestId: '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11',
      },
    ],
  },
)

export const Unauthorized = Type.Object(
  { error: Type.Literal('Unauthorized', { description: 'Always the same' }) },
  {
    $id: 'Unauthorized',
    additionalProperties: false,
    description: 'No valid token, or wrong credentials',
    examples: [{ error: 'Unauthorized' }],
  },
)

export type ErrorCode = Static<typeof ErrorCode>

/** Declares an error status of a route; those that follow from its access and input are added automatically. */
export const Failure = ref(ErrorBody)

/** A 409 of a route. @param codes its possible codes */
export function Conflict(...codes: [ErrorCode, ...ErrorCode[]]) {
  const description = `The request conflicts with the current state: ${codes.map((code) => `\`${code}\``).join(', ')}`
  return { ...Failure, description }
}
