import { DateTime } from 'luxon'
import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/licence/licence.ts'
import type { LicencePriceRow, LicenceTopupRow } from '../../../db/tables/licence.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, conflict, forbidden, invalid, notFound } from '../../errors.ts'
import { atLeast } from '../../rules/accounts/roles.ts'
import { monthlyTotal, type PricePeriod, paidUntil, spentUntil } from '../../rules/licence/balance.ts'
import { dayOf, textOfDay } from '../../rules/licence/days.ts'
import { amountOf, exactAmount, minorOf } from '../../rules/money.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type {
  LicenceBalance,
  LicencePrice,
  LicencePriceInput,
  LicenceTopup,
  LicenceTopupInput,
} from '../../schemas/licence.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes'>

const FIRST_DAY = '1900-01-01'
const LAST_DAY = '2999-12-31'

/** What there is, and how long it lasts, by the shop's calendar (contract section 10). */
export async function getBalance({
  db,
  config,
  now,
}: Pick<Deps, 'db' | 'config' | 'now'>): Promise<LicenceBalance> {
  const asOf = DateTime.fromJSDate(now(), { zone: config.shopTimeZone }).toFormat('yyyy-MM-dd')
  const today = dayOf(asOf)
  const periods = (await rows.listPrices(db)).map(toPeriod)
  const toppedUp = minorOf(await rows.sumTopups(db, asOf))
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

/** By their beginning. */
export async function listPrices({ db }: Pick<Deps, 'db'>): Promise<LicencePrice[]> {
  return (await rows.listPrices(db)).map(toPrice)
}

/** @throws AppError 400; 409 PERIOD_OVERLAP */
export function createPrice(
  deps: WriteDeps,
  caller: UserRow,
  input: LicencePriceInput,
): Promise<LicencePrice> {
  checkWriter(caller)
  const values = { ...priceValues(input), end_date: readEnd(input.startDate, input.endDate ?? null) }
  return write(deps, async (tx) => {
    const row = await withoutOverlap(() => rows.insertPrice(tx.db, values))
    say(tx, caller, 'LICENCE_PRICE', row.id, null, toPrice(row))
    return toPrice(row)
  })
}

/** An absent `endDate` stays as it is. @throws AppError 400; 404; 409 PERIOD_OVERLAP */
export function changePrice(
  deps: WriteDeps,
  caller: UserRow,
  id: number,
  input: LicencePriceInput,
): Promise<LicencePrice> {
  checkWriter(caller)
  const values = priceValues(input)
  return write(deps, async (tx) => {
    const before = await rows.lockPrice(tx.db, id)
    if (before === undefined) throw notFound('price')
    const end_date = readEnd(input.startDate, input.endDate === undefined ? before.end_date : input.endDate)
    const after = await withoutOverlap(() => rows.updatePrice(tx.db, id, { ...values, end_date }))
    say(tx, caller, 'LICENCE_PRICE', id, toPrice(before), toPrice(after))
    return toPrice(after)
  })
}

/** @throws AppError 404 */
export function deletePrice(deps: WriteDeps, caller: UserRow, id: number): Promise<void> {
  checkWriter(caller)
  return write(deps, async (tx) => {
    const before = await rows.lockPrice(tx.db, id)
    if (before === undefined) throw notFound('price')
    await rows.deletePrice(tx.db, id)
    say(tx, caller, 'LICENCE_PRICE', id, toPrice(before), null)
  })
}

/** The newest first. */
export async function listTopups({ db }: Pick<Deps, 'db'>): Promise<LicenceTopup[]> {
  return (await rows.listTopups(db)).map(toTopup)
}

/** @throws AppError 400 */
export function createTopup(
  deps: WriteDeps,
  caller: UserRow,
  input: LicenceTopupInput,
): Promise<LicenceTopup> {
  checkWriter(caller)
  const values = topupValues(input)
  return write(deps, async (tx) => {
    const row = await rows.insertTopup(tx.db, { ...values, comment: values.comment ?? null })
    say(tx, caller, 'LICENCE_TOPUP', row.id, null, toTopup(row))
    return toTopup(row)
  })
}

/** An absent `comment` stays as it is. @throws AppError 400; 404 */
export function changeTopup(
  deps: WriteDeps,
  caller: UserRow,
  id: number,
  input: LicenceTopupInput,
): Promise<LicenceTopup> {
  checkWriter(caller)
  const values = topupValues(input)
  return write(deps, async (tx) => {
    const before = await rows.lockTopup(tx.db, id)
    if (before === undefined) throw notFound('top-up')
    const after = await rows.updateTopup(tx.db, id, values)
    say(tx, caller, 'LICENCE_TOPUP', id, toTopup(before), toTopup(after))
    return toTopup(after)
  })
}

/** @throws AppError 404 */
export function deleteTopup(deps: WriteDeps, caller: UserRow, id: number): Promise<void> {
  checkWriter(caller)
  return write(deps, async (tx) => {
    const before = await rows.lockTopup(tx.db, id)
    if (before === undefined) throw notFound('top-up')
    await rows.deleteTopup(tx.db, id)
    say(tx, caller, 'LICENCE_TOPUP', id, toTopup(before), null)
  })
}

/** Checked here too, as the specification's access rules ask for. */
function checkWriter(caller: UserRow): void {
  if (!atLeast(caller.role, 'SUPER_ADMIN')) throw forbidden()
}

function say(
  tx: UnitOfWork,
  actor: UserRow,
  entity: 'LICENCE_PRICE' | 'LICENCE_TOPUP',
  entityId: number,
  before: object | null,
  after: object | null,
): void {
  tx.audit({ actor, entity, entityId, before: before && { ...before }, after: after && { ...after } })
}

/** The database decides: of two overlapping periods written at once the second is refused. */
async function withoutOverlap<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!violates(error, rows.NO_OVERLAP)) throw error
    throw conflict('PERIOD_OVERLAP', 'There is a price for some of these days already')
  }
}

function priceValues({ startDate, serverCost, supportCost }: LicencePriceInput) {
  return checkAll({
    start_date: () => readDay('startDate', startDate),
    server_cost: () => exactAmount('serverCost', serverCost),
    support_cost: () => exactAmount('supportCost', supportCost),
  })
}

function topupValues({ date, amount, comment }: LicenceTopupInput) {
  const checked = checkAll({
    date: () => readDay('date', date),
    amount: () => exactAmount('amount', amount),
  })
  return { ...checked, comment: comment === undefined ? undefined : comment?.trim() || null }
}

function readEnd(start: string, end: string | null): string | null {
  if (end === null) return null
  if (readDay('endDate', end) < start)
    throw invalid({ path: 'endDate', message: 'must not be before startDate' })
  return end
}

function readDay(path: string, text: string): string {
  if (!Number.isNaN(dayOf(text)) && text >= FIRST_DAY && text <= LAST_DAY) return text
  throw invalid({ path, message: `must be a day from ${FIRST_DAY} to ${LAST_DAY}` })
}

function toPeriod(row: LicencePriceRow): PricePeriod {
  const end = row.end_date === null ? null : dayOf(row.end_date)
  return { start: dayOf(row.start_date), end, total: minorOf(row.total) }
}

function toPrice(row: LicencePriceRow): LicencePrice {
  return {
    id: row.id,
    startDate: row.start_date,
    endDate: row.end_date,
    serverCost: Number(row.server_cost),
    supportCost: Number(row.support_cost),
    total: Number(row.total),
  }
}

function toTopup(row: LicenceTopupRow): LicenceTopup {
  return { id: row.id, date: row.date, amount: Number(row.amount), comment: row.comment }
}
