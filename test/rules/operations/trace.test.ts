import { expect, test } from 'vitest'
import { traceIdOf } from '../../../src/rules/operations/trace.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test.each([
  [`00-${TRACE}-${SPAN}-01`, TRACE],
  [`00-${TRACE}-${SPAN}-00`, TRACE],
  [`01-${TRACE}-${SPAN}-01-of-a-later-version`, TRACE],
  [`00-${TRACE}-${SPAN}-01-more`, null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`, null],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, null],
  [`01-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`, null],
  ['', null],
])('the trace id of %j is %s', (header, id) => {
  expect(traceIdOf(header)).toBe(id)
})
