/** From where a user has logged in; written at most once a day. */
export type LoginNetworksTable = {
  user_id: number
  /** See loginNetwork of rules/accounts/client-address.ts. */
  network: string
  last_login_at: Date
}
