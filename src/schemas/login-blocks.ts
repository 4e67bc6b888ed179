import { type Static, Type } from '@sinclair/typebox'
import { LOGIN_BLOCK_KINDS } from '../rules/accounts/client-address.ts'
import * as t from './common.ts'

const BlockId = t.FreeText(32, 'Id of the block', '5d41402abc4b2a76b9719d911017c592')

const LoginBlockKind = t.NamedEnum(
  'LoginBlockKind',
  'What is blocked: an email from one address, an address, an email, or the codes of an email’s second factor',
  LOGIN_BLOCK_KINDS,
)

export const LoginBlock = t.NamedObject('LoginBlock', 'A limit on failed logins that has been reached', {
  id: BlockId,
  kind: t.ref(LoginBlockKind),
  email: t.Nullable(t.Text('Email; null: any, or one without an account', 'anna@example.com')),
  address: t.Nullable(t.Text('Address, or network in IPv6; null: any', '203.0.113.7')),
  failures: t.Count('Failed logins'),
  until: t.Timestamp('When the block ends by itself'),
})
export type LoginBlock = Static<typeof LoginBlock>

export const LoginBlockParams = Type.Object({ id: BlockId })
