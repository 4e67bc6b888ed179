import { conflict, forbidden } from '../../errors.ts'

/** Roles in ascending order: each may do what those before it may (specification, "Roles"). */
export const ROLES = ['USER', 'EDITOR', 'MANAGER', 'ADMIN', 'SUPER_ADMIN'] as const

export type Role = (typeof ROLES)[number]

/** Who may call a route: anyone, anyone with a valid token, or those of at least a role. */
export type Access = 'public' | 'user' | Role

/** Whether `role` is `least` or above it. */
export function atLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/** Whether a caller (null: without a valid token) may call a route of this access. */
export function mayCall(access: Access, role: Role | null): boolean {
  if (access === 'public') return true
  if (role === null) return false
  return access === 'user' || atLeast(role, access)
}

/** Whether the caller sees what the public does not: hidden, inactive, disabled records (contract section 1). */
export function isStaff(caller: { role: Role } | null): boolean {
  return caller !== null && atLeast(caller.role, 'EDITOR')
}

/** @throws AppError 403 unless `actor`, an ADMIN or above, may give an account this role (contract section 1) */
export function checkGrant(actor: { role: Role }, role: Role): void {
  if (role !== 'SUPER_ADMIN' || actor.role === 'SUPER_ADMIN') return
  throw forbidden('Only a SUPER_ADMIN may manage a SUPER_ADMIN or grant that role')
}

type Account = { id: number; role: Role }

/**
 * Whether `actor` may change `target` to `newRole`, or delete it (null). Since only a SUPER_ADMIN touches a
 * SUPER_ADMIN, and nobody gives up their own place, one always stays (contract section 1, "Access").
 * @throws AppError 403; 409 OWN_ACCOUNT
 */
export function checkManagement(actor: Account, target: Account, newRole: Role | null): void {
  checkGrant(actor, target.role)
  if (newRole !== null) checkGrant(actor, newRole)
  const givesUp = newRole === null || !atLeast(newRole, target.role)
  if (actor.id === target.id && givesUp) throw conflict('OWN_ACCOUNT', 'Nobody deletes or demotes themselves')
}
