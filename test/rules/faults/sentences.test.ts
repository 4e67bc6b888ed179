import { expect, test } from 'vitest'
import { FAULTS, type Fault, sentenceOf } from '../../../src/rules/faults/sentences.ts'

const placeholdersOf = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

test.each(Object.entries(FAULTS))(
  '%s has a sentence in both languages, with the same placeholders',
  (code, { en, ru }) => {
    if (code !== 'NOT_PROTOCOL_MESSAGE') expect(en).toMatch(/^[A-Z]/)
    expect(ru).toMatch(/^[А-ЯЁ]/)
    expect(en).not.toMatch(/[А-Яа-яЁё]/)
    expect(placeholdersOf(ru).toSorted()).toEqual(placeholdersOf(en).toSorted())
  },
)

test.each<[Fault, string, string]>([
  [{ path: 'name', code: 'EMPTY' }, 'Enter a name', 'Заполните это поле'],
  [{ path: '0.author', code: 'EMPTY' }, 'Enter a name', 'Укажите имя'],
  [{ path: 'other', code: 'EMPTY' }, 'Fill in this field', 'Заполните это поле'],
  [
    { path: 'items.3.quantity', code: 'TOO_LARGE', params: { max: 9999 } },
    'The largest value is 9999',
    'Наибольшее значение: 9999',
  ],
  [{ path: 'a', code: 'NOT_ONE_OF', params: { values: ['A', 'B'] } }, 'Choose one of: A, B', 'Выберите одно из: A, B'],
  [
    { path: 'usedBy.0', code: 'USED_BY_PRODUCT', params: { id: 7, name: 'Дрель' } },
    'Product 7: Дрель',
    'Товар 7: Дрель',
  ],
  [
    { path: 'items.0', code: 'NOT_ENOUGH', params: { availableQuantity: 2 } },
    'Only 2 left in stock',
    'В наличии только 2 шт.',
  ],
])('says %j', (fault, en, ru) => {
  expect([sentenceOf(fault, 'en'), sentenceOf(fault, 'ru')]).toEqual([en, ru])
})

test('a text of the caller is neither a placeholder nor a pattern of a replacement', () => {
  const fault: Fault = { path: 'value', code: 'NOT_ONE_OF', params: { values: ['$1$&', '{values}'] } }
  expect(sentenceOf(fault, 'en')).toBe('Choose one of: $1$&, {values}')
})
