import { atLeast, type Role } from './roles.ts'

type Account = { id: number; role: Role }

export type ManagementProblem = 'FORBIDDEN' | 'OWN_ACCOUNT'

/** Whether `actor`, an ADMIN or above, may give an account this role (contract section 1, "Access"). */
export function mayGrant(actor: Account, role: Role): boolean {
  return role !== 'SUPER_ADMIN' || actor.role === 'SUPER_ADMIN'
}

/**
 * Why `actor` may not change `target` to `newRole`, or delete it (null); null when it may (contract section 1,
 * "Access"). Since only a SUPER_ADMIN touches a SUPER_ADMIN, and nobody gives up their own place, one always stays.
 */
export function managementProblem(
  actor: Account,
  target: Account,
  newRole: Role | null,
): ManagementProblem | null {
  if (!mayGrant(actor, target.role)) return 'FORBIDDEN'
  if (newRole !== null && !mayGrant(actor, newRole)) return 'FORBIDDEN'
  const givesUp = newRole === null || !atLeast(newRole, target.role)
  return actor.id === target.id && givesUp ? 'OWN_ACCOUNT' : null
}
