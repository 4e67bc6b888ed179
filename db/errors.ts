import pg from 'pg'

/** What an error that came from the database says of what was asked of it. */
export type DatabaseFault =
  /** A value that must be unique is somebody else's. */
  | 'TAKEN'
  /** A record that is referred to is not there. */
  | 'DANGLING'
  /** Input that passed validation, and that PostgreSQL still can't store. */
  | 'OUT_OF_RANGE'
  /** A lock could not be had in time. */
  | 'LOCKED'
  /** Another transaction was in the way (a deadlock, a serialisation failure): a repeat may succeed. */
  | 'RACED'
  /** The server is away, going down, too slow, or has no connection left. */
  | 'AWAY'
  /** The server takes no writes: a standby, a full disk, a switch-over. */
  | 'READ_ONLY'
  /** A fault of ours. */
  | 'OTHER'

const CODES: [RegExp, DatabaseFault][] = [
  [/^23505/, 'TAKEN'],
  [/^23503/, 'DANGLING'],
  [/^(22|23514)/, 'OUT_OF_RANGE'],
  [/^55P03/, 'LOCKED'],
  [/^40/, 'RACED'],
  [/^(57P|57014|08|53)/, 'AWAY'],
  [/^25006/, 'READ_ONLY'],
]
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/
/** What pg and the sockets of db/database.ts say when no answer came. */
const NO_ANSWER =
  /Query read timeout|Connection terminated|timeout exceeded when trying to connect|not queryable|gone silent/

/** What kind of error of the database's this is; null when it is none. The one reader of PostgreSQL's codes. */
export function databaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof pg.DatabaseError) return CODES.find(([codes]) => codes.test(code))?.[1] ?? 'OTHER'
  return UNREACHABLE.test(code) || NO_ANSWER.test(error.message) ? 'AWAY' : null
}

/** Whether this constraint was violated: another record is in the way, or one that is referred to is missing. */
export function violates(error: unknown, constraint: string): boolean {
  const codes = ['23503', '23505', '23P01']
  return (
    error instanceof pg.DatabaseError && codes.includes(error.code ?? '') && error.constraint === constraint
  )
}
