/** Unlogged: a crash of the server forgets the counters, nothing else. */
export type RateLimitsTable = {
  key: string
  count: number
  resets_at: Date
}
