import { listRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { dayOf, monthlyTotal, paidUntil, spentUntil, textOfDay } from '../../rules/licence.ts'
import { calendarDay } from '../../rules/lists.ts'
import { amountOf, minorOf } from '../../rules/money.ts'
import * as wire from '../../schemas/licence.ts'
import { type RecordKind, recordUseCases } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'

const PRICES: RecordKind<'license_prices', wire.LicencePrice, wire.LicencePriceInput> = {
  table: 'license_prices',
  name: 'price',
  entity: 'LICENCE_PRICE',
  writer: 'SUPER_ADMIN',
  toWire: (row) => toWire(wire.LicencePrice, row),
  toValues(input, current) {
    const { startDate, endDate = current?.end_date } = input
    checkPrice({ startDate, endDate })
    return toColumns(wire.LicencePriceInput, input)
  },
  // Enforced by the database, so that two writes at once can't both pass a check.
  conflicts: {
    license_prices_no_overlap: ['PERIOD_OVERLAP', 'Another price covers some of these days; end that one first'],
  },
}

export const {
  list: listLicencePrices,
  create: createLicencePrice,
  update: updateLicencePrice,
  delete: deleteLicencePrice,
} = recordUseCases(PRICES)

const TOPUPS: RecordKind<'license_topups', wire.LicenceTopup, wire.LicenceTopupInput> = {
  table: 'license_topups',
  name: 'top-up',
  entity: 'LICENCE_TOPUP',
  writer: 'SUPER_ADMIN',
  toWire: (row) => toWire(wire.LicenceTopup, row),
  toValues: (input) => toColumns(wire.LicenceTopupInput, input),
}

export const {
  list: listLicenceTopups,
  create: createLicenceTopup,
  update: updateLicenceTopup,
  delete: deleteLicenceTopup,
} = recordUseCases(TOPUPS)

/** Checks the fields that are given. @throws AppError 400 */
export function checkPrice({ startDate, endDate }: Partial<wire.LicencePriceInput>): void {
  if (startDate && endDate && endDate < startDate) throw invalid({ path: 'endDate', code: 'BEFORE_FIRST_DAY' })
}

/** Computes the balance and how long it lasts, in the shop's calendar (contract section 10). */
export async function getBalance(deps: Deps): Promise<wire.LicenceBalance> {
  const { db, config, now } = deps
  const { date: asOf } = calendarDay(now(), config.shopTimeZone)
  const today = dayOf(asOf)
  const periods = (await listRecords(db, 'license_prices')).map(({ start_date, end_date, total }) => ({
    start: dayOf(start_date),
    end: end_date === null ? null : dayOf(end_date),
    total: minorOf(total),
  }))
  const topups = (await listRecords(db, 'license_topups')).filter(({ date }) => date <= asOf)
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
