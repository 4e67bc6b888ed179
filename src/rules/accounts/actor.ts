import type { Role } from './roles.ts'

/** Who makes a change: a user, or an API key, which has neither id nor email of a user. */
export type Actor = { id: number | null; name: string; email: string | null; role: Role }
