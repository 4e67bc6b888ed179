import pg from 'pg'

/** Kinds of database errors. */
export type DatabaseFault =
  /** A unique constraint is violated. */
  | 'DUPLICATE'
  /** A referenced record does not exist. */
  | 'MISSING_REFERENCE'
  /** PostgreSQL can't store a value that passed validation. */
  | 'OUT_OF_RANGE'
  /** A lock timeout. */
  | 'LOCKED'
  /** A deadlock or serialisation failure; a retry may succeed. */
  | 'RETRYABLE'
  /** The server is down, shutting down, too slow, or out of connections. */
  | 'UNREACHABLE'
  /** The server accepts no writes: a standby or a failover. */
  | 'READ_ONLY'
  /** A bug in a query. */
  | 'OTHER'

const CODES: [RegExp, DatabaseFault][] = [
  [/^23505/, 'DUPLICATE'],
  [/^23503/, 'MISSING_REFERENCE'],
  [/^(22|23514)/, 'OUT_OF_RANGE'],
  [/^55P03/, 'LOCKED'],
  [/^40/, 'RETRYABLE'],
  [/^(57P|57014|08|53)/, 'UNREACHABLE'],
  [/^25006/, 'READ_ONLY'],
]
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/
/** Messages of pg and of the sockets in db/database.ts. */
const NO_RESPONSE =
  /Query read timeout|timeout expired|Connection terminated|timeout exceeded when trying to connect|not queryable|stopped responding/

/** Classifies a database error; null for other errors. */
export function databaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof pg.DatabaseError) return CODES.find(([codes]) => codes.test(code))?.[1] ?? 'OTHER'
  return UNREACHABLE.test(code) || NO_RESPONSE.test(error.message) ? 'UNREACHABLE' : null
}

/** Whether the error is a violation of this unique, exclusion or foreign key constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const codes = ['23503', '23505', '23P01']
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? '') && error.constraint === constraint
}
