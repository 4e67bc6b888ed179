import { expect, test } from 'vitest'
import { parseSort } from '../../src/rules/sort.ts'

const fields = ['name', 'createdAt'] as const

test.each([
  ['name', { field: 'name', descending: false }],
  ['name,asc', { field: 'name', descending: false }],
  ['createdAt,desc', { field: 'createdAt', descending: true }],
  ['createdAt, DESC', { field: 'createdAt', descending: true }],
  ['Name', null],
  ['', null],
  ['password', null],
  ['name,up', null],
  ['name,asc,desc', null],
  ['name,', null],
  ['constructor', null],
])('%j is read as %j', (text, sort) => {
  expect(parseSort(text, fields)).toEqual(sort)
})
