import { type Static, Type } from '@sinclair/typebox'

export const TestMail = Type.Object(
  { to: Type.String({ minLength: 3, maxLength: 254, description: 'Recipient' }) },
  { $id: 'TestMail', description: 'A test mail', examples: [{ to: 'admin@example.com' }] },
)
export type TestMail = Static<typeof TestMail>

export const TestMailResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the mail server accepted it' }),
    message: Type.String({ description: 'Answer of the mail server' }),
  },
  {
    $id: 'TestMailResult',
    description: 'Result of a test mail',
    examples: [{ delivered: true, message: '250 OK: queued as 4F2A1' }],
  },
)
export type TestMailResult = Static<typeof TestMailResult>
