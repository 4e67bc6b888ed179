import { type Static, Type } from '@sinclair/typebox'
import { LOGIN_BLOCK_KINDS } from '../rules/accounts/login-counters.ts'
import { Count, described, Enum, Nullable, ref, Timestamp } from './common.ts'

const BlockId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  maxLength: 32,
  description: 'Id of the block',
  examples: ['5d41402abc4b2a76b9719d911017c592'],
})

export const LoginBlockKind = Enum(LOGIN_BLOCK_KINDS, {
  $id: 'LoginBlockKind',
  description: 'Blocks an email from an address, an address, or an email',
})

export const LoginBlock = Type.Object(
  {
    id: BlockId,
    kind: ref(LoginBlockKind),
    email: Nullable(Type.String({ description: 'Email; null: of no account, or any' })),
    address: Nullable(Type.String({ description: 'Address, in IPv6 its network; null: any' })),
    failures: described(Count, 'Failed logins'),
    until: described(Timestamp, 'When the block ends by itself'),
  },
  {
    $id: 'LoginBlock',
    description: 'A limit of failed logins that is reached',
    examples: [
      {
        id: '5d41402abc4b2a76b9719d911017c592',
        kind: 'PAIR',
        email: 'anna@example.com',
        address: '203.0.113.7',
        failures: 10,
        until: '2026-11-21T10:20:00.000Z',
      },
    ],
  },
)
export type LoginBlock = Static<typeof LoginBlock>

export const LoginBlockParams = Type.Object({ id: BlockId })
