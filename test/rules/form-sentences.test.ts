import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chooseLanguage, toFormDetail } from '../../src/rules/form-sentences.ts'

test.each([
  [undefined, 'en'],
  ['*', 'en'],
  ['de-DE, de;q=0.9', 'en'],
  ['ru', 'ru'],
  ['ru-RU,ru;q=0.9,en-US;q=0.8', 'ru'],
  ['en-US,en;q=0.9,ru;q=0.8', 'en'],
  ['en;q=0.5, RU;q=0.7', 'ru'],
  ['de, ru;q=0.1', 'ru'],
  ['ru;q=0', 'en'],
  ['russian', 'en'],
])('Accept-Language %j is answered in %s', (header, expected) => {
  expect(chooseLanguage(header)).toBe(expected)
})

test.each([
  ['name', "must have required property 'name'", 'Enter a name', 'Заполните это поле'],
  ['author', 'must not be empty', 'Enter a name', 'Укажите имя'],
  ['filter.colour', 'must NOT have additional properties', 'There is no such field', 'Такого поля нет'],
  ['items.3.quantity', 'must be <= 9999', 'The largest value is 9999', 'Наибольшее значение: 9999'],
  ['quantity', 'must match format "int64"', 'Enter a whole number', 'Введите целое число'],
  ['active', 'must be boolean', 'Choose yes (true) or no (false)', 'Выберите «да» (true) или «нет» (false)'],
  ['comment', 'must be string', 'Enter a text', 'Введите текст'],
  ['amount', 'must be > 0', 'Enter a number above 0', 'Введите число больше 0'],
  [
    'events',
    'must NOT have duplicate items (items ## 1 and 0 are identical)',
    'Choose each one only once',
    'Не повторяйте значения',
  ],
  ['other', 'must NOT have fewer than 1 characters', 'Fill in this field', 'Заполните это поле'],
  ['usedBy.0', 'product 7: Дрель', 'Product 7: Дрель', 'Товар 7: Дрель'],
  ['a', 'must be one of A, B', 'Choose one of: A, B', 'Выберите одно из: A, B'],
])('says of %s that %j', (path, message, en, ru) => {
  expect(toFormDetail({ path, message }, 'en').message).toBe(en)
  expect(toFormDetail({ path, message }, 'ru').message).toBe(ru)
})

test('a text of the caller in a message is no pattern of a replacement', () => {
  const message = 'must be one of $1$&, B'
  expect(toFormDetail({ path: 'a', message }, 'en').message).toBe('Choose one of: $1$&, B')
})

test('says what is left of a product', () => {
  const detail = { path: 'items.0', message: '', reason: 'NOT_ENOUGH', availableQuantity: 2 }
  expect(toFormDetail(detail, 'en')).toEqual({ ...detail, message: 'Only 2 left in stock' })
  expect(toFormDetail(detail, 'ru')).toEqual({ ...detail, message: 'В наличии только 2 шт.' })
})

test('shows what has no sentence as it is', () => {
  expect(toFormDetail({ path: 'a', message: 'is odd' }, 'ru').message).toBe('Is odd')
})

const SPOKEN_TO_FORMS = ['src/rules', 'src/services', 'src/clients', 'plugins']
/** About files of the supplier's, configuration and other operations, which no form shows. */
const OTHERS = /^src\/rules\/(pipeline\/splitter|form-sentences|mail\/)|^plugins\/event-connection/
const FAULT = /(['"`])((?:must|is|are|there is|contradicts|contains|exceeds?|takes|uses|either) (?:(?!\1).|\\.)*)\1/g

test('has a Russian sentence for every fault that the code names', () => {
  const files = SPOKEN_TO_FORMS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).filter((file) => !OTHERS.test(file))
  const untranslated = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(FAULT)]
      .map(([, , text = '']) => text.replace(/\$\{[^}]*\}/g, '1'))
      .filter((message) => !/[а-я]/i.test(toFormDetail({ path: 'a', message }, 'ru').message))
      .map((message) => `${file}: ${message}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(untranslated).toEqual([])
})
