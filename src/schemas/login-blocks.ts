import { type Static, Type } from '@sinclair/typebox'
import { LOGIN_BLOCK_KINDS } from '../rules/accounts/login-counters.ts'
import { Count, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'

const BlockId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  maxLength: 32,
  description: 'Id of the block',
  examples: ['5d41402abc4b2a76b9719d911017c592'],
})

export const LoginBlockKind = NamedEnum(
  'LoginBlockKind',
  'Blocks an email from an address, an address, or an email',
  LOGIN_BLOCK_KINDS,
)

export const LoginBlock = NamedObject('LoginBlock', 'A limit of failed logins that is reached', {
  id: BlockId,
  kind: ref(LoginBlockKind),
  email: Nullable(Text('Email; null: of no account, or any', 'anna@example.com')),
  address: Nullable(Text('Address, in IPv6 its network; null: any', '203.0.113.7')),
  failures: Count('Failed logins'),
  until: Timestamp('When the block ends by itself'),
})
export type LoginBlock = Static<typeof LoginBlock>

export const LoginBlockParams = Type.Object({ id: BlockId })
