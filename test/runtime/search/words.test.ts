import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorsAllowed, typingErrors } from '../../../src/rules/catalogue/letters.ts'
import { plainWord } from '../../../src/rules/catalogue/search.ts'
import { byId, newProduct, type Product } from '../../../src/runtime/search/products.ts'
import { createProductWords } from '../../../src/runtime/search/words.ts'

const stemOf = (word: string) => word.slice(0, 4)
/** Of one script: words of both are written in Latin letters where possible. */
const letter = fc.constantFrom(...'абвгдеклмнопрсту')
const word = fc.string({ unit: letter, minLength: 3, maxLength: 14 })

function putAll(words: ReturnType<typeof createProductWords>, names: string[]): Product[] {
  return names.map((name, id) => {
    const product = newProduct(id)
    words.put(product, name, null, stemOf)
    return product
  })
}

/** One typing error in a word: a letter swapped with the next, dropped, doubled or replaced. */
const mistake = fc.record({
  kind: fc.constantFrom('swapped', 'dropped', 'doubled', 'replaced'),
  at: fc.nat(20),
  by: letter,
})
function mistype(text: string, { kind, at, by }: { kind: string; at: number; by: string }): string {
  const index = at % (kind === 'swapped' ? text.length - 1 : text.length)
  const [before, after] = [text.slice(0, index), text.slice(index + 1)]
  if (kind === 'dropped') return before + after
  if (kind === 'doubled') return before + text[index] + text[index] + after
  if (kind === 'replaced') return before + by + after
  return before + text[index + 1] + text[index] + text.slice(index + 2)
}

test('finds the intended word despite as many typing errors as are allowed', () => {
  const cases = fc.record({
    names: fc.uniqueArray(word, { minLength: 1, maxLength: 20 }),
    meant: fc.nat(),
    mistakes: fc.tuple(mistake, mistake),
  })
  fc.assert(
    fc.property(cases, ({ names, meant, mistakes }) => {
      const words = createProductWords()
      putAll(words, names)
      const right = names[meant % names.length] ?? ''
      const once = mistype(right, mistakes[0])
      const allowed = Math.min(errorsAllowed(once), errorsAllowed(right))
      const wrong = allowed === 2 ? mistype(once, mistakes[1]) : once
      // A swap on the border of two thirds is in both, so that another error may be in the last one.
      fc.pre(allowed === 1 || mistakes.every(({ kind }) => kind !== 'swapped'))
      fc.pre(allowed > 0 && errorsAllowed(wrong) >= allowed && typingErrors(right, wrong) <= allowed)
      expect(
        words
          .similarTo(wrong)
          .filter(({ by }) => by === 'typing')
          .map((one) => one.word),
      ).toContain(right)
    }),
    { numRuns: 300 },
  )
})

test('finds the rows of words after names were added, changed and removed', () => {
  const names = fc.array(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' ')),
    { maxLength: 12 },
  )
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      row: fc.nat(11),
      name: names.map((all) => all[0] ?? 'дом'),
    }),
    fc.record({ kind: fc.constant('remove' as const), row: fc.nat(11) }),
  )
  fc.assert(
    fc.property(names, fc.array(step, { maxLength: 12 }), (first, steps) => {
      const words = createProductWords()
      let all = first
      const products = putAll(words, first)
      for (const one of steps) {
        if (one.row < all.length) {
          const name = one.kind === 'put' ? one.name : ''
          const product = products[one.row] ?? newProduct(one.row)
          if (one.kind === 'put') words.put(product, name, null, stemOf)
          else {
            words.remove(product)
            products[one.row] = newProduct(one.row)
          }
          all = all.with(one.row, name)
        }
        const asked = (all.find((name) => name !== '') ?? 'дом').split(' ')[0] ?? ''
        const piece = asked.slice(0, 3)
        const expected = products.filter(({ id }) => all[id]?.includes(piece))
        const found = words.match([plainWord(piece)], products)
        expect(found.sort(byId)).toEqual(expected)
      }
    }),
    { numRuns: 300 },
  )
})

test('lists words with fewer errors first, then the more frequent ones', () => {
  const words = createProductWords()
  const names = ['дрель', 'трель', 'трель', 'дрелью', 'samsung']
  const products = putAll(words, names)
  const misspelt = words.similarTo('брель').filter(({ by }) => by === 'typing')
  expect(misspelt.map((one) => [one.word, one.errors, one.products])).toEqual([
    ['трель', 1, 2],
    ['дрель', 1, 1],
  ])
  expect(words.similarTo('самсунг')).toEqual([{ word: 'samsung', errors: 0, products: 1, by: 'sound' }])
  for (const product of products.slice(4)) words.remove(product)
  expect(words.similarTo('самсунг')).toEqual([])
  words.learnStems(new Map([['xyz', 'дрел']]))
  expect(['дре', 'samsung', 'xyz', 'xy'].map(words.isKnown)).toEqual([true, false, true, false])
})
