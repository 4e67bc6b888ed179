/** The newest request of each address, whether or not it belongs to an account. */
export type PasswordResetsTable = {
  /** SHA-256 of the email. */
  email_hash: Buffer
  /** Null without an account. */
  user_id: number | null
  /** The user's when the reset was asked for: a password changed meanwhile invalidates it. */
  token_version: number | null
  /** SHA-256 of the token. */
  token_hash: Buffer
  expires_at: Date
}
