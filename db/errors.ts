import pg from 'pg'

/** Kinds of database errors, by PostgreSQL's codes. */
const CODES = [
  // A unique constraint is violated.
  ['DUPLICATE', /^23505/],
  // A referenced record does not exist.
  ['MISSING_REFERENCE', /^23503/],
  // PostgreSQL can't store a value that passed validation.
  ['OUT_OF_RANGE', /^(22|23514)/],
  // A lock timeout.
  ['LOCKED', /^55P03/],
  // A deadlock or serialisation failure; a retry may succeed.
  ['RETRYABLE', /^40/],
  // The server is down, shutting down, too slow, out of connections, rejects the login, ended a long transaction, or accepts no
  // writes: a standby or a failover. 0A000: a standby can't even read unlogged tables.
  ['UNAVAILABLE', /^(57P|57014|08|53|28|3D000|25006|25P0[34]|0A000)/],
] as const
/** OTHER: a bug in a query. */
export type DatabaseFault = (typeof CODES)[number][0] | 'OTHER'

/** Also for a certificate that isn't trusted. */
const UNREACHABLE =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ERR_TLS|ERR_SSL)|CERT|_SIGNATURE$/
/** Messages of pg and of the sockets in db/database.ts. `connect ENOENT`: there is no Unix socket while the server is down. */
const NO_RESPONSE =
  /^connect ENOENT|does not support SSL|Query read timeout|timeout expired|Connection terminated|timeout exceeded when trying to connect|not queryable|stopped responding/

/** Classifies a database error; null for other errors. */
export function databaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof pg.DatabaseError) return CODES.find(([, codes]) => codes.test(code))?.[0] ?? 'OTHER'
  return UNREACHABLE.test(code) || NO_RESPONSE.test(error.message) ? 'UNAVAILABLE' : null
}

/** Whether the error is a violation of this unique, exclusion or foreign key constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const codes = ['23503', '23505', '23P01']
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? '') && error.constraint === constraint
}
