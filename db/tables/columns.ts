import type { ColumnType, Generated } from 'kysely'

/** The columns of every record that staff edit. */
export type Edited = {
  id: Generated<number>
  /** Counts staff's edits. */
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** Decimal text with two places, written as a number too. */
export type Amount<Null = never> = ColumnType<string | Null, string | number | Null, string | number | Null>

export type JsonObject = { [key: string]: unknown }

/** A JSON object, written as text. */
export type Json = ColumnType<JsonObject | null, string | null, string | null>
