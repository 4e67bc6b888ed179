import { expect, test } from 'vitest'
import { type Attribute, mergeAttributes } from '../../../src/rules/catalogue/attributes.ts'

const external = (name: string, value: string): Attribute => ({ name, value, source: 'EXTERNAL' })
const manual = (name: string, value: string): Attribute => ({ name, value, source: 'MANUAL' })

test('a MANUAL attribute takes the place of every EXTERNAL one of its name; the others follow', () => {
  expect(
    mergeAttributes([
      manual('Made in', 'Minsk'),
      external('Colour', 'red'),
      manual('Colour', 'crimson'),
      external('Weight', '1 kg'),
      external('Colour', 'blue'),
    ]),
  ).toEqual([manual('Colour', 'crimson'), external('Weight', '1 kg'), manual('Made in', 'Minsk')])
})

test('names differ by case, and repeated EXTERNAL ones stay', () => {
  const all = [external('Port', 'USB'), external('Port', 'HDMI'), manual('port', 'none')]
  expect(mergeAttributes(all)).toEqual(all)
})
