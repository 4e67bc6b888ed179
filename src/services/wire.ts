import { type Static, type TObject, type TProperties, TypeGuard } from '@sinclair/typebox'
import { oneLine, snakeCase } from '../rules/text.ts'

type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name

/** What a column may hold for a member of this type: times are dates, amounts decimal text. */
type Stored<Value> = Value | (string extends Value ? Date : never) | (number extends Value ? string : never)

/** A row with a column for each member of the JSON. */
type RowOf<Json> = { [Name in keyof Json & string as SnakeCase<Name>]: Stored<Json[Name]> }

/**
 * Shows a row as the members that the schema names: each is the column of the same name in snake case, a time as ISO 8601
 * in UTC, an amount as a number.
 * @param staff shows the optional members too, which records have for staff alone
 */
export function toWire<Members extends TProperties>(
  { properties }: TObject<Members>,
  row: RowOf<Static<TObject<Members>>>,
  staff = false,
): Static<TObject<Members>> {
  const shown = membersOf(properties).filter(({ isOptional }) => staff || !isOptional)
  const members = shown.map(({ name, column, isNumber }) => [name, shownValue(Reflect.get(row, column), isNumber)])
  return Object.fromEntries(members)
}

type ColumnsOf<Json> = { [Name in keyof Json & string as SnakeCase<Name>]: Json[Name] }

/**
 * The columns that an input sets: those of the members that the schema names, with texts trimmed and null when blank, line
 * breaks replaced where a line is expected, and times cut to milliseconds, since PostgreSQL would round them.
 */
export function toColumns<Members extends TProperties>(
  { properties }: TObject<Members>,
  input: Static<TObject<Members>>,
): ColumnsOf<Static<TObject<Members>>> {
  const columns = membersOf(properties).map(({ name, column, isTime, isLine }) => {
    const value: unknown = Reflect.get(input, name)
    if (typeof value !== 'string') return [column, value]
    return [column, isTime ? new Date(value).toISOString() : (isLine ? oneLine(value) : value.trim()) || null]
  })
  return Object.fromEntries(columns)
}

function shownValue(stored: unknown, isNumber: boolean): unknown {
  if (stored instanceof Date) return stored.toISOString()
  return isNumber && typeof stored === 'string' ? Number(stored) : stored
}

type Member = { name: string; column: string; isNumber: boolean; isTime: boolean; isLine: boolean; isOptional: boolean }
const LINE_FORMATS = ['line', 'phone', 'email-or-blank']
const known = new WeakMap<TProperties, Member[]>()

/** The members of a schema, read once: a list shows many rows. */
function membersOf(properties: TProperties): Member[] {
  const members =
    known.get(properties) ??
    Object.entries(properties).map(([name, member]) => ({
      name,
      column: snakeCase(name),
      isNumber: [member.type].flat().includes('number'),
      isTime: member.format === 'date-time',
      isLine: LINE_FORMATS.includes(member.format),
      isOptional: TypeGuard.IsOptional(member),
    }))
  known.set(properties, members)
  return members
}
