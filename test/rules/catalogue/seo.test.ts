import { expect, test } from 'vitest'
import { fillTemplate, priceInWords, resolveSeo } from '../../../src/rules/catalogue/seo.ts'
import { withDefaults } from '../../../src/rules/settings/keys.ts'

test('replaces placeholders once, never within values', () => {
  expect(fillTemplate('{name} — {siteName}', { name: '{siteName} $& $1', siteName: 'Shop' })).toBe(
    '{siteName} $& $1 — Shop',
  )
})

test('leaves unknown placeholders, inherited names too', () => {
  expect(fillTemplate('{name} {colour} {toString}', { name: 'Lamp' })).toBe('Lamp {colour} {toString}')
})

test.each([
  ['{name}, {price}. {siteName}', { name: 'Lamp', price: null, siteName: 'Shop' }, 'Lamp. Shop'],
  ['{category} — {name} — {siteName}', { category: null, name: 'Lamp', siteName: 'Shop' }, 'Lamp — Shop'],
  [
    '{name} {category} {brand} | {siteName}',
    { name: 'Lamp', category: null, brand: '', siteName: 'Shop' },
    'Lamp | Shop',
  ],
  ['{name} — {brand}', { name: 'Lamp', brand: null }, 'Lamp'],
  ['{name} — {siteName}', { name: 'Lamp', siteName: '' }, 'Lamp'],
  ['{name} ({brand})', { name: 'Lamp', brand: null }, 'Lamp'],
  ['{name} ({brand}) — {siteName}', { name: 'Lamp', brand: null, siteName: 'Shop' }, 'Lamp — Shop'],
  ['{name} / {brand} / {siteName}', { name: 'Lamp', brand: null, siteName: 'Shop' }, 'Lamp / Shop'],
  ['{brand} / {name}', { name: 'Lamp', brand: null }, 'Lamp'],
  ['{name} ({price}, {brand})', { name: 'Lamp', brand: null, price: '5 RUB' }, 'Lamp (5 RUB)'],
  ['«{brand}» {name}', { name: 'Lamp', brand: null }, 'Lamp'],
  ['{name} {brand}', { name: 'Notepad C++  /', brand: null }, 'Notepad C++  /'],
  ['{brand}', { brand: null }, ''],
  ['', {}, ''],
])('leaves no gap for a missing value in %j', (template, values: Record<string, string | null>, text) => {
  expect(fillTemplate(template, values)).toBe(text)
})

test('prefers each override that is not empty', () => {
  const row = { name: 'Lamp', meta_title: 'Own', meta_description: '' }
  const rows = [
    { key: 'seo_tag_title_template', value: 'T {name}' },
    { key: 'seo_tag_description_template', value: 'D {name}, {siteName}' },
    { key: 'site_name', value: 'Shop' },
  ]
  expect(resolveSeo('tag', row, withDefaults(rows))).toEqual({ title: 'Own', description: 'D Lamp, Shop' })
})

test.each([
  ['100.00', '100 RUB'],
  ['1234.50', '1234.50 RUB'],
  ['0.00', null],
  [null, null],
])('formats the price %j as %j', (price, words) => {
  expect(priceInWords(price, 'RUB')).toBe(words)
})
