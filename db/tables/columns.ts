import type { ColumnType, Generated } from 'kysely'

/** The columns of every record that changes. */
export type Dated = { id: Generated<number>; created_at: Generated<Date>; updated_at: Generated<Date> }

/** The columns of every record whose edits by staff are counted. */
export type Edited = Dated & { version: Generated<number> }

/** Decimal text with two places, written as a number too. */
export type Amount<Null = never> = ColumnType<string | Null, string | number | Null, string | number | Null>

export type JsonObject = { [key: string]: unknown }

/** A JSON object, written as text. */
export type Json = ColumnType<JsonObject | null, string | null, string | null>
