/** Unlogged: a crash of the database resets the counters. */
export type RateLimitsTable = {
  key: string
  count: number
  resets_at: Date
}

/** Networks from which users have logged in. */
export type LoginNetworksTable = {
  user_id: number
  /** See loginNetwork. */
  network: string
  last_login_at: Date
}
