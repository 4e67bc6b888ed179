import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

/** A field of a record that staff edit. */
type Field<Column = string> = {
  column: Column
  /** Checks a value and returns what the column stores. @throws AppError 400 */
  read(value: unknown, field: string): unknown
  /** Converts the stored value to JSON, if they differ. */
  toJson?(stored: unknown): unknown
  /** The flag of a PATCH that empties the field. */
  clearFlag?: string
}

/** The fields of a record that staff edit, by their names in JSON. */
export type Fields<Column = string> = { [field: string]: Field<Column> }

/** An edit; absent fields stay as they are. */
export type InputOf<F extends Fields> = { [N in keyof F]?: Parameters<F[N]['read']>[0] }

/** The stored form of the edited fields. */
export type ColumnsOf<F extends Fields> = { [N in keyof F as F[N]['column']]: ReturnType<F[N]['read']> }

/**
 * A check for each field, by its column, to pass to checkAll with those of several fields. Absent fields become undefined.
 */
export function fieldChecks<F extends Fields>(
  fields: F,
  input: object,
): { [C in keyof ColumnsOf<F>]: () => ColumnsOf<F>[C] | undefined } {
  const given = new Map<string, unknown>(Object.entries(input))
  const checks = Object.entries(fields).map(([name, field]) => [
    field.column,
    () => readField(name, field, given),
  ])
  return Object.fromEntries(checks)
}

function readField(name: string, { read, clearFlag = '' }: Field, given: Map<string, unknown>): unknown {
  const value = given.get(name)
  const stored = value === undefined ? undefined : read(value, name)
  if (!given.get(clearFlag)) return stored
  if (stored) throw invalid({ path: clearFlag, message: `contradicts the given ${name}` })
  return null
}

/** The fields that the audit log shows. */
export type AuditedFields = { [field: string]: Pick<Field, 'column' | 'toJson'> }

/** The fields as the audit log shows them. */
export function auditedFields(fields: AuditedFields, row: object): { [field: string]: unknown } {
  const stored = new Map<string, unknown>(Object.entries(row))
  return Object.fromEntries(
    Object.entries(fields).map(([name, { column, toJson = unchanged }]) => [
      name,
      toJson(stored.get(column)),
    ]),
  )
}

export function unchanged<T>(value: T): T {
  return value
}

/** Reads a name onto one line. @throws AppError 400 */
export function readName(text: string, field: string): string {
  const name = oneLine(text).normalize()
  if (name === '') throw invalid({ path: field, message: 'must not be empty' })
  return name
}
