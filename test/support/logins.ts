import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { PASSWORD } from './accounts.ts'
import type { TestShop } from './shop.ts'

/** Replaces the comparison with a hash: takes a moment, too, but no processor time. */
export async function matchQuickly(password: string, hash: string | undefined): Promise<boolean> {
  await delay(20)
  return hash !== undefined && password === PASSWORD
}

/** @param address of the client, which the shop must take from the proxy */
export function login(shop: TestShop, email: string, password: string, address = '192.0.2.1') {
  return shop.call('POST', '/api/v1/auth/login', {
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  })
}

export function statusesOf(answers: { status: number }[]): number[] {
  return answers.map(({ status }) => status)
}

/** Simulates the passing of time. */
export async function ageLimits({ deps: { db } }: TestShop, ms: number): Promise<void> {
  await sql`update rate_limits set resets_at = resets_at - ${ms}::float8 * interval '1 millisecond'`.execute(db)
}
