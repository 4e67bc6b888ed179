import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { LoginOutcome } from '../../src/rules/accounts/credentials.ts'
import type { Actor, KeyRole, Role } from '../../src/rules/accounts/roles.ts'
import type { Edited } from './columns.ts'

/** Who calls: a user, or an API key. */
export type Caller = UserRow | (Actor & { id: null; email: null })

export const USER_SORT = ['id', 'name', 'email', 'role', 'createdAt'] as const

/** What a consent was given for. */
export const CONSENT_KINDS = ['REGISTRATION', 'ORDER', 'CONTACT'] as const

export interface UserTables {
  users: Edited & {
    name: string
    /** Lower case. */
    email: string
    phone: string | null
    role: Role
    password_hash: string
    /** Incremented by password changes; invalidates tokens with another version. */
    token_version: Generated<number>
    /** Whether a login needs a code. */
    totp_enabled: Generated<boolean>
  }
  /** The newest request of each account. Earlier versions also kept requests for addresses without an account. */
  password_resets: {
    /** SHA-256 of the email. */
    email_hash: Buffer
    /** Null for an address without an account. */
    user_id: number | null
    /** The user's when the reset was asked for: a password changed meanwhile invalidates it. */
    token_version: number | null
    /** SHA-256 of the token. */
    token_hash: Buffer
    expires_at: Date
  }
  /** Secrets of authenticator apps, confirmed if the user's `totp_enabled` says so. */
  totp_secrets: {
    user_id: number
    /** Sealed. */
    secret: Buffer
    /** Of the last code that was used. */
    last_step: Generated<number>
  }
  /** Those that are unused. */
  recovery_codes: {
    user_id: number
    /** SHA-256 of the code without hyphens. */
    code_hash: Buffer
  }
  /** Unlogged: a crash of the database resets the counters. */
  rate_limits: {
    key: string
    count: number
    resets_at: Date
  }
  /** Networks from which users have logged in. */
  login_networks: {
    user_id: number
    /** See loginNetwork. */
    network: string
    last_login_at: Date
  }
  consents: {
    id: GeneratedAlways<number>
    kind: (typeof CONSENT_KINDS)[number]
    email: string | null
    phone: string | null
    policy_version: string
    given_at: Generated<Date>
    /** See loginNetwork. */
    network: string
  }
  /** The last ones of each account, failed ones included. */
  logins: {
    id: GeneratedAlways<number>
    user_id: number
    created_at: Generated<Date>
    /** See loginNetwork. */
    network: string
    /** See clientName. */
    client: string | null
    outcome: LoginOutcome
  }
  api_keys: {
    id: GeneratedAlways<number>
    name: string
    role: KeyRole
    /** SHA-256 of the key. */
    key_hash: Buffer
    /** Null: never. */
    expires_at: Date | null
    /** To the minute. */
    last_used_at: Date | null
    created_at: Generated<Date>
    /** Email of the user. */
    created_by: string
    /** Null: that account is gone, and the key works no more. */
    created_by_id: number | null
  }
}

export type UserRow = Selectable<UserTables['users']>
export type ApiKeyRow = Selectable<UserTables['api_keys']>
