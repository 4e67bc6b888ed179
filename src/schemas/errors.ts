import { type Static, Type } from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import { CART_REASONS } from '../rules/stock/pricing.ts'
import { Count, described, Enum, Id, ref } from './common.ts'

export const ErrorCode = Enum(ERROR_CODES, {
  $id: 'ErrorCode',
  description: 'What went wrong, as a stable word that a program can switch on',
})

export const CartReason = Enum(CART_REASONS, {
  $id: 'CartReason',
  description: 'Why a line can not be bought: no such product, no price, nothing left, or less than wanted',
})

export const ErrorDetail = Type.Object(
  {
    path: Type.String({ description: 'Where in the request: members with dots between them' }),
    message: Type.String({ description: 'What is wrong there' }),
    reason: Type.Optional(ref(CartReason)),
    availableQuantity: Type.Optional(described(Count, 'With `reason`: how many can still be had')),
  },
  {
    $id: 'ErrorDetail',
    description: 'One fault of the input',
    examples: [{ path: 'items.0.quantity', message: 'must be >= 1' }],
  },
)

/** Every error but the 401 (contract section 1, "Errors"). */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'HTTP reason phrase' }),
    code: ref(ErrorCode),
    message: Type.String({ description: 'A sentence for people' }),
    details: Type.Optional(Type.Array(ref(ErrorDetail), { description: 'Each fault of the input' })),
    runId: Type.Optional(described(Id, 'With SYNC_RUNNING and PIPELINE_RUNNING: the run that is in the way')),
    current: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'With STALE: the record as it is now' }),
    ),
    requestId: Type.String({ description: 'Names the request in the logs of the service' }),
  },
  {
    $id: 'ErrorBody',
    description: 'Why a request was refused',
    examples: [
      {
        error: 'Bad Request',
        code: 'VALIDATION_FAILED',
        message: 'The request is not valid',
        details: [{ path: 'items.0.quantity', message: 'must be >= 1' }],
        requestId: '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11',
      },
    ],
  },
)

export const Unauthorized = Type.Object(
  { error: Type.Literal('Unauthorized', { description: 'Nothing more is said' }) },
  {
    $id: 'Unauthorized',
    additionalProperties: false,
    description: 'No valid token, or wrong credentials',
    examples: [{ error: 'Unauthorized' }],
  },
)

export type ErrorCode = Static<typeof ErrorCode>

/** What a route declares for a status at which it refuses; what follows from its access and input is added to it. */
export const Failure = ref(ErrorBody)

/** A 409 of a route. @param codes those that it can have */
export function Conflict(...codes: [ErrorCode, ...ErrorCode[]]) {
  const description = `The state of things forbids it: ${codes.map((code) => `\`${code}\``).join(', ')}`
  return { ...Failure, description }
}
