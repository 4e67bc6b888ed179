import { type Static, type TObject, type TProperties, type TSchema, TypeGuard } from '@sinclair/typebox'
import { oneLine, snakeCase } from '../rules/text.ts'

// A member of the JSON and its column have the same name, in camel case and in snake case.

type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name

/** What the database returns for a member of this type: it may have a date for a text, and decimal text for a number. */
type Stored<Value> = Value | (string extends Value ? Date : never) | (number extends Value ? string : never)

/** A row with at least the columns of these members. */
type RowOf<Json> = { [Name in keyof Json & string as SnakeCase<Name>]: Stored<Json[Name]> }

/** The columns that an input with these members sets. */
type ColumnsOf<Json> = { [Name in keyof Json & string as SnakeCase<Name>]: Json[Name] }

/**
 * Shows a row as the members that the schema names: times as ISO 8601 in UTC, amounts as numbers.
 * @param staff shows the optional members too, which records have for staff alone
 */
export function toWire<Members extends TProperties>(
  { properties }: TObject<Members>,
  row: RowOf<Static<TObject<Members>>>,
  staff = false,
): Static<TObject<Members>> {
  const shown = membersOf(properties).filter(({ isOptional }) => staff || !isOptional)
  const members = shown.map(({ name, column, kind }) => [name, toJson(Reflect.get(row, column), kind)])
  return Object.fromEntries(members)
}

/** The columns that an input sets: those of the members that the schema names. */
export function toColumns<Members extends TProperties>(
  { properties }: TObject<Members>,
  input: Static<TObject<Members>>,
): ColumnsOf<Static<TObject<Members>>> {
  const members = membersOf(properties)
  const columns = members.map(({ name, column, kind }) => [column, toStored(Reflect.get(input, name), kind)])
  return Object.fromEntries(columns)
}

type Kind = 'number' | 'time' | 'line' | 'other'

function toJson(stored: unknown, kind: Kind): unknown {
  if (stored instanceof Date) return stored.toISOString()
  return kind === 'number' && typeof stored === 'string' ? Number(stored) : stored
}

/** Blank texts become null. Times are cut to milliseconds, since PostgreSQL would round them. */
function toStored(given: unknown, kind: Kind): unknown {
  if (typeof given !== 'string') return given
  if (kind === 'time') return new Date(given).toISOString()
  return (kind === 'line' ? oneLine(given) : given.trim()) || null
}

type Member = { name: string; column: string; kind: Kind; isOptional: boolean }

const known = new WeakMap<TProperties, Member[]>()

/** The members of a schema, read once: a list shows many rows. */
function membersOf(properties: TProperties): Member[] {
  const members =
    known.get(properties) ??
    Object.entries(properties).map(([name, schema]) => ({
      name,
      column: snakeCase(name),
      kind: kindOf(schema),
      isOptional: TypeGuard.IsOptional(schema),
    }))
  known.set(properties, members)
  return members
}

const LINE_FORMATS = ['line', 'phone', 'email-or-blank']

function kindOf({ type, format }: TSchema): Kind {
  if ([type].flat().includes('number')) return 'number'
  if (format === 'date-time') return 'time'
  return LINE_FORMATS.includes(format) ? 'line' : 'other'
}
