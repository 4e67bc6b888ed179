/** Roles that a key may have (contract section 3, "API keys"). */
export const KEY_ROLES = ['EDITOR', 'MANAGER', 'ADMIN'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

export const KEY_PREFIX = 'shop_'

/** Whether a bearer token is an API key, not a JSON Web Token. */
export function isApiKey(token: string): boolean {
  return token.startsWith(KEY_PREFIX)
}
