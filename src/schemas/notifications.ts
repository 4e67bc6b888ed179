import { type Static, Type } from '@sinclair/typebox'

export const TestMail = Type.Object(
  { to: Type.String({ minLength: 3, maxLength: 254, description: 'One address' }) },
  { $id: 'TestMail', description: 'Whom to send a test mail', examples: [{ to: 'admin@example.com' }] },
)
export type TestMail = Static<typeof TestMail>

export const TestMailResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the mail server took it' }),
    message: Type.String({ description: 'What the mail server said' }),
  },
  {
    $id: 'TestMailResult',
    description: 'What became of a test mail',
    examples: [{ delivered: true, message: '250 OK: queued as 4F2A1' }],
  },
)
export type TestMailResult = Static<typeof TestMailResult>
