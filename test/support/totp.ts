import { generateSync } from 'otplib'
import type { UserRow } from '../../db/tables/users.ts'
import { confirmTotp, setUpTotp } from '../../src/services/accounts/totp.ts'
import type { TestShop } from './shop.ts'

const STEP_MS = 30_000

/** The code that an authenticator app shows at a time of the shop. @param steps later */
export function codeOf({ deps }: TestShop, secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor((deps.now().getTime() + steps * STEP_MS) / 1000) })
}

/** Switches two-factor login on, and moves the clock on, as the code of the present step is used up by that. */
export async function switchTotpOn(shop: TestShop, user: UserRow) {
  const { secret, recoveryCodes } = await setUpTotp(shop.deps, user)
  const confirmed = await confirmTotp(shop.deps, user, { code: codeOf(shop, secret) })
  moveClock(shop, 1)
  return { user: confirmed, secret, recoveryCodes }
}

/** Moves the shop's clock forward. */
export function moveClock({ deps }: TestShop, steps: number): void {
  const time = deps.now().getTime() + steps * STEP_MS
  deps.now = () => new Date(time)
}
