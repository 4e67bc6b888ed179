import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/license/license.ts'
import type { Deps } from '../../deps.ts'
import { conflict, forbidden, found, invalid } from '../../errors.ts'
import { type Actor, atLeast } from '../../rules/accounts/roles.ts'
import { dayOf, monthlyTotal, paidUntil, spentUntil, textOfDay } from '../../rules/license.ts'
import { calendarDay } from '../../rules/lists.ts'
import { amountOf, minorOf, toAmount } from '../../rules/money.ts'
import { textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/license.ts'

export async function listLicencePrices({ db }: Deps): Promise<wire.LicencePrice[]> {
  return (await rows.listLicencePrices(db)).map(toLicencePrice)
}

/** @throws AppError 400; 403; 409 PERIOD_OVERLAP */
export function createLicencePrice(
  deps: Deps,
  actor: Actor,
  input: wire.LicencePriceInput,
): Promise<wire.LicencePrice> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    checkPrice(input)
    const after = toLicencePrice(await rows.insertLicencePrice(tx.db, toPriceValues(input)).catch(explainOverlap))
    tx.audit({ actor, entity: 'LICENCE_PRICE', entityId: after.id, before: null, after })
    return after
  })
}

/** @throws AppError 400; 403; 404; 409 PERIOD_OVERLAP; 412 STALE */
export function updateLicencePrice(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: wire.LicencePriceInput,
): Promise<wire.LicencePrice> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    const before = await lockPrice(tx, target)
    // An absent last day stays, and the first one must agree with it.
    const { startDate, endDate = before.endDate, serverCost, supportCost } = input
    checkPrice({ startDate, endDate })
    if (!hasChanges(before, { startDate, endDate, serverCost, supportCost })) return before
    const after = toLicencePrice(
      await rows.updateLicencePrice(tx.db, before.id, toPriceValues(input)).catch(explainOverlap),
    )
    tx.audit({ actor, entity: 'LICENCE_PRICE', entityId: before.id, before, after })
    return after
  })
}

/** @throws AppError 403; 404; 412 STALE */
export function deleteLicencePrice(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    const before = await lockPrice(tx, target)
    await rows.deleteLicencePrice(tx.db, before.id)
    tx.audit({ actor, entity: 'LICENCE_PRICE', entityId: before.id, before, after: null })
  })
}

async function lockPrice(tx: UnitOfWork, { id, ifMatch }: Target): Promise<wire.LicencePrice> {
  const price = toLicencePrice(found(await rows.lockLicencePrice(tx.db, id), 'price'))
  await refuseStale(ifMatch, price.version, () => price)
  return price
}

export async function listLicenceTopups({ db }: Deps): Promise<wire.LicenceTopup[]> {
  return (await rows.listLicenceTopups(db)).map(toLicenceTopup)
}

/** @throws AppError 403 */
export function createLicenceTopup(
  deps: Deps,
  actor: Actor,
  input: wire.LicenceTopupInput,
): Promise<wire.LicenceTopup> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    const after = toLicenceTopup(await rows.insertLicenceTopup(tx.db, toTopupValues(input)))
    tx.audit({ actor, entity: 'LICENCE_TOPUP', entityId: after.id, before: null, after })
    return after
  })
}

/** @throws AppError 403; 404; 412 STALE */
export function updateLicenceTopup(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: wire.LicenceTopupInput,
): Promise<wire.LicenceTopup> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    const before = await lockTopup(tx, target)
    const values = toTopupValues(input)
    if (!hasChanges(before, values)) return before
    const after = toLicenceTopup(await rows.updateLicenceTopup(tx.db, before.id, values))
    tx.audit({ actor, entity: 'LICENCE_TOPUP', entityId: before.id, before, after })
    return after
  })
}

/** @throws AppError 403; 404; 412 STALE */
export function deleteLicenceTopup(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    checkWriter(actor)
    const before = await lockTopup(tx, target)
    await rows.deleteLicenceTopup(tx.db, before.id)
    tx.audit({ actor, entity: 'LICENCE_TOPUP', entityId: before.id, before, after: null })
  })
}

async function lockTopup(tx: UnitOfWork, { id, ifMatch }: Target): Promise<wire.LicenceTopup> {
  const topup = toLicenceTopup(found(await rows.lockLicenceTopup(tx.db, id), 'top-up'))
  await refuseStale(ifMatch, topup.version, () => topup)
  return topup
}

/** As the routes do (docs/content.md). @throws AppError 403 */
function checkWriter({ role }: Actor): void {
  if (!atLeast(role, 'SUPER_ADMIN')) throw forbidden()
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkPrice({ startDate, endDate }: Partial<wire.LicencePriceInput>): void {
  if (startDate && endDate && endDate < startDate) throw invalid({ path: 'endDate', code: 'BEFORE_FIRST_DAY' })
}

/** Enforced by the database, so that two writes at once can't both pass a check. */
function explainOverlap(error: unknown): never {
  throw violates(error, 'license_prices_no_overlap')
    ? conflict('PERIOD_OVERLAP', 'Another price covers some of these days; end that one first')
    : error
}

/** Computes the balance and how long it lasts, in the shop's calendar (docs/content.md). */
export async function getBalance(deps: Deps): Promise<wire.LicenceBalance> {
  const { db, config, now } = deps
  const { date: asOf } = calendarDay(now(), config.shopTimeZone)
  const today = dayOf(asOf)
  const periods = (await rows.listLicencePrices(db)).map(({ start_date, end_date, total }) => ({
    start: dayOf(start_date),
    end: end_date === null ? null : dayOf(end_date),
    total: minorOf(total),
  }))
  const topups = (await rows.listLicenceTopups(db)).filter(({ date }) => date <= asOf)
  const toppedUp = topups.reduce((sum, { amount }) => sum + minorOf(amount), 0n)
  const spent = spentUntil(periods, today - 1)
  const last = paidUntil(periods, toppedUp)
  const total = monthlyTotal(periods, today)
  return {
    balance: amountOf(toppedUp - spent),
    paidUntil: last === null ? null : textOfDay(last),
    monthlyTotal: total === null ? null : amountOf(total),
    toppedUp: amountOf(toppedUp),
    spent: amountOf(spent),
    asOf,
  }
}

/** The columns that an input sets; an undefined one keeps its value, or gets its default. */
function toPriceValues({ startDate, endDate, serverCost, supportCost }: wire.LicencePriceInput) {
  return { start_date: startDate, end_date: endDate, server_cost: serverCost, support_cost: supportCost }
}

function toTopupValues({ date, amount, comment }: wire.LicenceTopupInput) {
  return { date, amount, comment: textOrNull(comment) }
}

function toLicencePrice(row: rows.LicencePriceRow): wire.LicencePrice {
  return {
    id: row.id,
    startDate: row.start_date,
    endDate: row.end_date,
    serverCost: toAmount(row.server_cost),
    supportCost: toAmount(row.support_cost),
    total: toAmount(row.total),
    version: row.version,
  }
}

function toLicenceTopup(row: rows.LicenceTopupRow): wire.LicenceTopup {
  return { id: row.id, date: row.date, amount: toAmount(row.amount), comment: row.comment, version: row.version }
}
