import { expect, test } from 'vitest'
import {
  type Attribute,
  mergeAttributes,
  readAttributes,
  type StoredAttribute,
} from '../../../src/rules/catalogue/attributes.ts'

const external = (name: string, value: string): Attribute => ({ name, value, source: 'EXTERNAL' })
const manual = (name: string, value: string): Attribute => ({ name, value, source: 'MANUAL' })

test('replaces every EXTERNAL attribute by the MANUAL one of its name; the others follow', () => {
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

test('keeps repeated EXTERNAL ones, unless a MANUAL one has their name in any spelling', () => {
  const ports = [external('Port', 'USB'), external('Port', 'HDMI')]
  expect(mergeAttributes([...ports, manual('Ports', 'none')])).toEqual([...ports, manual('Ports', 'none')])
  expect(mergeAttributes([...ports, manual('PORT', 'none')])).toEqual([manual('PORT', 'none')])
})

test('drops a value that is repeated in another spelling of its name or itself', () => {
  const colours = [external('Цвет', 'Чёрный'), external('цвет', 'черный')]
  expect(mergeAttributes(colours)).toEqual([external('Цвет', 'Чёрный')])
  const others = [external('цвет', 'Чёрный'), external('цвет', 'белый')]
  expect(mergeAttributes([...colours, ...others])).toEqual([colours[0], others[1]])
})

test('refuses a MANUAL name that is repeated in another spelling', () => {
  const input = [
    { name: 'Объём', value: '1 л' },
    { name: 'объем', value: '2 л' },
    { name: 'Вес', value: '1 кг' },
  ]
  expect(() => readAttributes(input)).toThrow(
    expect.objectContaining({
      extras: {
        faults: [
          { path: '0.name', code: 'REPEATED' },
          { path: '1.name', code: 'REPEATED' },
        ],
      },
    }),
  )
})

test("appends the feed's attributes whose names neither EXTERNAL nor MANUAL ones have", () => {
  const fed = (name: string, value: string): StoredAttribute => ({ name, value, source: 'FEED' })
  const stored = [
    fed('Colour', 'feed'),
    external('Weight', '1 kg'),
    fed('Weight', '2 kg'),
    fed('Length', '1 m'),
    fed('Made in', 'Brest'),
    manual('Made in', 'Minsk'),
  ]
  expect(mergeAttributes(stored)).toEqual([
    external('Weight', '1 kg'),
    external('Colour', 'feed'),
    external('Length', '1 m'),
    manual('Made in', 'Minsk'),
  ])
})
