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
