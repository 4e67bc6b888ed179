import { expect, test } from 'vitest'
import { formatDateFrom, parseSupplierDate } from '../../../src/rules/supplier/dates.ts'

test('reads dates in the supplier’s zone', () => {
  const date = (zone: string) => parseSupplierDate('21.11.2026 10:05:07.089', zone)?.toISOString()
  expect(date('UTC')).toBe('2026-11-21T10:05:07.089Z')
  expect(date('Europe/Moscow')).toBe('2026-11-21T07:05:07.089Z')
  expect(date('Asia/Almaty')).toBe('2026-11-21T05:05:07.089Z')
})

test.each([
  '',
  '2026-11-21T10:00:00Z',
  '21.11.2026',
  '21.11.2026 10:05:07',
  '31.02.2026 10:05:07.000',
  '21.13.2026 10:05:07.000',
  '21.11.2026 24:61:07.000',
  '1.11.2026 10:05:07.00000',
  '21.11.2026 10:05:07.089 ',
])('%j is no date', (text) => {
  expect(parseSupplierDate(text, 'UTC')).toBeNull()
})

test('dateFrom is written in the supplier’s zone and reads back as the same moment', () => {
  const instant = new Date('2026-07-01T22:30:00.005Z')
  const text = formatDateFrom(instant, 'Europe/Moscow')
  expect(text).toBe('02.07.2026 01:30:00.005')
  expect(parseSupplierDate(text, 'Europe/Moscow')).toEqual(instant)
})

test('sets dateFrom before the repeated hour of a clock change', () => {
  // Berlin: on 25 October 2026 at 01:00 UTC the clocks go from 03:00 back to 02:00.
  const first = new Date('2026-10-25T00:30:00Z')
  const second = new Date('2026-10-25T01:30:00Z')
  expect(formatDateFrom(first, 'Europe/Berlin')).toBe('25.10.2026 01:30:00.000')
  expect(formatDateFrom(second, 'Europe/Berlin')).toBe('25.10.2026 01:30:00.000')
  expect(formatDateFrom(new Date('2026-10-25T02:30:00Z'), 'Europe/Berlin')).toBe('25.10.2026 03:30:00.000')
})
