import { expect, test } from 'vitest'
import { placeImage } from '../../../src/rules/catalogue/product-fields.ts'

const MAX = 2_147_483_647
type Order = [id: number, displayOrder: number]
const placed = (images: Order[], [id, displayOrder]: Order): Order[] =>
  placeImage(
    images.map(([id, displayOrder]) => ({ id, displayOrder })),
    id,
    displayOrder,
  ).map((image) => [image.id, image.displayOrder])

test.each<[string, Order[], Order, Order[]]>([
  ['the only one', [], [1, 7], [[1, 7]]],
  [
    'before all, moving only those in the way',
    [
      [1, 0],
      [2, 1],
      [3, 5],
    ],
    [4, 0],
    [
      [4, 0],
      [1, 1],
      [2, 2],
      [3, 5],
    ],
  ],
  [
    'into a gap',
    [
      [1, 0],
      [3, 5],
    ],
    [4, 3],
    [
      [1, 0],
      [4, 3],
      [3, 5],
    ],
  ],
  [
    'where it is',
    [
      [1, 0],
      [2, 1],
    ],
    [2, 1],
    [
      [1, 0],
      [2, 1],
    ],
  ],
  [
    'forward',
    [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
    [3, 0],
    [
      [3, 0],
      [1, 1],
      [2, 2],
    ],
  ],
  [
    'among equal ones',
    [
      [1, 0],
      [2, 0],
    ],
    [3, 0],
    [
      [3, 0],
      [1, 1],
      [2, 2],
    ],
  ],
  [
    'below zero',
    [[1, -5]],
    [2, -5],
    [
      [2, -5],
      [1, -4],
    ],
  ],
  [
    'at the end of all numbers',
    [
      [1, 3],
      [2, MAX],
    ],
    [3, MAX],
    [
      [1, 0],
      [3, 1],
      [2, 2],
    ],
  ],
  [
    'behind the end of all numbers',
    [
      [1, 3],
      [2, MAX],
    ],
    [3, MAX + 1],
    [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
  ],
  [
    'as the last number',
    [[1, 3]],
    [2, MAX],
    [
      [1, 3],
      [2, MAX],
    ],
  ],
])('places an image %s', (_, images, image, expected) => {
  expect(placed(images, image)).toEqual(expected)
})
