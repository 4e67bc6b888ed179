import { type SchemaOptions, type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import { MAX_INT } from '../rules/lists.ts'
import { LARGEST_AMOUNT } from '../rules/money.ts'

/** An id in a body or a query; one beyond the column's range is a 400. */
export const Id = Type.Integer({ minimum: 1, maximum: MAX_INT })

/** `{id}` of a path; one beyond the column's range is a 404 (contract section 1). */
export const IdParams = Type.Object({ id: Id })

/** Money in JSON: a number with at most two decimals, within numeric(12,2). */
export const Money = Type.Number({ minimum: 0, maximum: LARGEST_AMOUNT })

export const Timestamp = Type.String({ format: 'date-time' })

/** A day of the shop's calendar. */
export const Day = Type.String({ format: 'date', description: 'YYYY-MM-DD' })

/** A text that says something. */
export function Word(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S' })
}

/** Absent: as it is; null or blank: none. */
export function optionalText(maxLength: number) {
  return Type.Optional(Nullable(Type.String({ maxLength })))
}

/** The order among siblings, the lowest first. */
export const DisplayOrder = Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT })

/** What every record has that staff edit (contract section 1, "Lost updates"). */
export const Edited = Type.Object({
  version: Type.Integer({
    description: 'Counts the changes; send it as If-Match to change only what you know',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** `If-Match: "<version>"` of a write; read by versionOf. */
export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ maxLength: 100, description: 'The `version` that is to be changed, quoted' }),
  ),
})

/** One word of several: a refusal is one message, not one for each word. */
export function Enum<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  return Type.Unsafe<Word>({ ...options, type: 'string', enum: words })
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** `page` and `size` of a list (contract section 1, "Pages"). */
export const PageQuery = Type.Object({
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
  size: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
})
export type PageQuery = Static<typeof PageQuery>

/** `sort` of a list, over the fields of a noun in db/tables; read by readSort. */
export function SortQuery(fields: object, byDefault: string) {
  const names = Object.keys(fields).join(', ')
  const description = `field, field,asc or field,desc; fields: ${names}; ${byDefault} unless given`
  return Type.Optional(Type.String({ maxLength: 100, description }))
}

const Moment = Type.String({
  maxLength: 40,
  description: "A day of the shop's calendar (YYYY-MM-DD) or an ISO timestamp, included",
})

/** `dateFrom` and `dateTo` of a list; read by readDateRange. */
export const DateRange = Type.Object({ dateFrom: Type.Optional(Moment), dateTo: Type.Optional(Moment) })

/** The Spring Data page shape. */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({
    content: Type.Array(item),
    totalElements: Type.Integer(),
    totalPages: Type.Integer(),
    number: Type.Integer(),
    size: Type.Integer(),
    first: Type.Boolean(),
    last: Type.Boolean(),
  })
}

export type Page<T> = Static<ReturnType<typeof Page<TUnsafe<T>>>>

export function toPage<Row, T>(
  { rows, total }: { rows: Row[]; total: number },
  { page, size }: PageQuery,
  toItem: (row: Row) => T,
): Page<T> {
  const totalPages = Math.ceil(total / size)
  return {
    content: rows.map(toItem),
    totalElements: total,
    totalPages,
    number: page,
    size,
    first: page === 0,
    last: page >= totalPages - 1,
  }
}

/** Every error but the 401 (contract section 1, "Errors"). */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'HTTP reason phrase' }),
    code: Enum(ERROR_CODES, { description: 'Stable word for programs' }),
    message: Type.String({ description: 'Sentence for people' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String(),
          message: Type.String(),
          reason: Type.Optional(
            Type.String({ description: "Of PRODUCT_UNAVAILABLE: why, one of the cart's reasons" }),
          ),
          availableQuantity: Type.Optional(
            Type.Integer({ description: 'Of PRODUCT_UNAVAILABLE: how many can be had' }),
          ),
        }),
      ),
    ),
    requestId: Type.String(),
  },
  { $id: 'ErrorBody', additionalProperties: true },
)

export const Unauthorized = Type.Object(
  { error: Type.Literal('Unauthorized') },
  { $id: 'Unauthorized', additionalProperties: false },
)

/** A reference to a schema of index.ts by its `$id`, so that the API description names it once. */
export function ref<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id ?? ''))
}

/** What a route declares for each status at which it refuses; 401 and 403 follow from its access. */
export const Failure = ref(ErrorBody)

export const NoContent = Type.Null({ description: 'No content' })
