import { describe, expect, test } from 'vitest'
import { checkGrant, checkManagement } from '../../../src/rules/accounts/roles.ts'
import { refusalOf } from '../../support/refusal.ts'

const root = { id: 1, role: 'SUPER_ADMIN' } as const
const otherRoot = { id: 2, role: 'SUPER_ADMIN' } as const
const admin = { id: 3, role: 'ADMIN' } as const
const otherAdmin = { id: 4, role: 'ADMIN' } as const
const buyer = { id: 5, role: 'USER' } as const

test('lets only a SUPER_ADMIN grant that role', () => {
  expect(refusalOf(() => checkGrant(root, 'SUPER_ADMIN'))).toBeNull()
  expect(refusalOf(() => checkGrant(admin, 'SUPER_ADMIN'))?.code).toBe('FORBIDDEN')
  expect(refusalOf(() => checkGrant(admin, 'ADMIN'))).toBeNull()
})

describe('an ADMIN', () => {
  test.each([
    ['raises a buyer to ADMIN', buyer, 'ADMIN', null],
    ['demotes another ADMIN', otherAdmin, 'USER', null],
    ['deletes another ADMIN', otherAdmin, null, null],
    ['keeps its own role', admin, 'ADMIN', null],
    ['does not raise a buyer to SUPER_ADMIN', buyer, 'SUPER_ADMIN', 'FORBIDDEN'],
    ['does not raise itself', admin, 'SUPER_ADMIN', 'FORBIDDEN'],
    ['does not change a SUPER_ADMIN', root, 'SUPER_ADMIN', 'FORBIDDEN'],
    ['does not demote a SUPER_ADMIN', root, 'USER', 'FORBIDDEN'],
    ['does not delete a SUPER_ADMIN', root, null, 'FORBIDDEN'],
    ['does not demote itself', admin, 'MANAGER', 'OWN_ACCOUNT'],
    ['does not delete itself', admin, null, 'OWN_ACCOUNT'],
  ] as const)('%s', (_title, target, role, problem) => {
    expect(refusalOf(() => checkManagement(admin, target, role))?.code ?? null).toBe(problem)
  })
})

describe('a SUPER_ADMIN', () => {
  test.each([
    ['demotes another', otherRoot, 'ADMIN', null],
    ['deletes another', otherRoot, null, null],
    ['raises a buyer', buyer, 'SUPER_ADMIN', null],
    ['keeps its own role', root, 'SUPER_ADMIN', null],
    ['does not demote itself', root, 'ADMIN', 'OWN_ACCOUNT'],
    ['does not delete itself', root, null, 'OWN_ACCOUNT'],
  ] as const)('%s', (_title, target, role, problem) => {
    expect(refusalOf(() => checkManagement(root, target, role))?.code ?? null).toBe(problem)
  })
})
