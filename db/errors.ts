import pg from 'pg'

/** Whether the error says that a value is taken, according to this constraint. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
}
