import { conflict, forbidden } from '../../errors.ts'

/** Roles in ascending order; each includes the previous ones (docs/accounts.md). */
export const ROLES = ['USER', 'EDITOR', 'MANAGER', 'ADMIN', 'SUPER_ADMIN'] as const

export type Role = (typeof ROLES)[number]

/** Who makes a change: a user, or an API key, which has neither id nor email of a user. */
export type Actor = { id: number | null; name: string; email: string | null; role: Role }

/** An account, an API key, a customer without an account or by an order's link, or the shop itself. */
export const ACTOR_KINDS = ['USER', 'API_KEY', 'CUSTOMER', 'SERVICE'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** Who may call a route: anyone, any authenticated user, or users with at least this role. */
export type Access = 'public' | 'user' | Role

/** The groups of endpoints that each role may use in addition to those of the roles before it. */
const ADDED_PERMISSIONS = {
  USER: [],
  EDITOR: ['content', 'categories'],
  MANAGER: ['orders', 'contacts'],
  ADMIN: ['orders.delete', 'products', 'users', 'settings', 'operations', 'licence.read'],
  SUPER_ADMIN: ['licence.write', 'apiKeys', 'users.totp'],
} as const satisfies Record<Role, readonly string[]>

export type Permission = (typeof ADDED_PERMISSIONS)[Role][number]

/** What a role may use, as a menu needs it. */
export function permissionsOf(role: Role): Permission[] {
  return ROLES.filter((least) => atLeast(role, least)).flatMap((least) => ADDED_PERMISSIONS[least])
}

/** Whether `role` is `least` or above it. */
export function atLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

/** The one of two roles that may do less. */
export function lowerRole(one: Role, other: Role): Role {
  return atLeast(one, other) ? other : one
}

/** Whether a caller may call a route; null means without a valid token. */
export function mayCall(access: Access, role: Role | null): boolean {
  if (access === 'public') return true
  if (role === null) return false
  return access === 'user' || atLeast(role, access)
}

/** Whether the caller may see hidden, inactive and disabled records (docs/accounts.md). */
export function isStaff(caller: { role: Role } | null): boolean {
  return caller !== null && atLeast(caller.role, 'EDITOR')
}

/** Checks that an ADMIN or above may grant a role (docs/accounts.md). @throws AppError 403 */
export function checkGrant(actor: { role: Role }, role: Role): void {
  if (role !== 'SUPER_ADMIN' || actor.role === 'SUPER_ADMIN') return
  throw forbidden('Only a SUPER_ADMIN may manage a SUPER_ADMIN or grant that role')
}

type Account = Pick<Actor, 'id' | 'role'>

/**
 * Checks that `actor` may change the role of `target`, or delete it if `newRole` is null. Since only SUPER_ADMINs
 * manage SUPER_ADMINs, and not themselves, one always remains (docs/accounts.md).
 * @throws AppError 403; 409 OWN_ACCOUNT
 */
export function checkManagement(actor: Account, target: Account, newRole: Role | null): void {
  checkGrant(actor, target.role)
  if (newRole !== null) checkGrant(actor, newRole)
  const loses = newRole === null || !atLeast(newRole, target.role)
  if (actor.id === target.id && loses) throw conflict('OWN_ACCOUNT', "You can't delete or demote yourself")
}

/** Roles that a key may have; USER is for a storefront's server (docs/accounts.md). */
export const KEY_ROLES = ['USER', 'EDITOR', 'MANAGER', 'ADMIN'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

export const KEY_PREFIX = 'shop_'

/** Whether a bearer token is an API key, not a JSON Web Token. */
export function isApiKey(token: string): boolean {
  return token.startsWith(KEY_PREFIX)
}
