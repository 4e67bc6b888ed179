/** What failed logins are counted by (contract section 3). */
export const LOGIN_BLOCK_KINDS = ['PAIR', 'ADDRESS', 'EMAIL'] as const
export type LoginBlockKind = (typeof LOGIN_BLOCK_KINDS)[number]

/** Keys of the counters; db/queries/accounts/login-blocks.ts reads them back. @param email hashed */
export const loginCounter = {
  pair: (email: string, network: string) => `login:pair:${email}:${network}`,
  address: (network: string) => `login:address:${network}`,
  email: (email: string) => `login:email:${email}`,
}
