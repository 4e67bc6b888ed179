import { type Static, Type } from '@sinclair/typebox'

export const TestMail = Type.Object({ to: Type.String({ minLength: 3, maxLength: 254 }) })
export type TestMail = Static<typeof TestMail>

export const TestMailResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the mail server took it' }),
    message: Type.String({ description: 'What the mail server said' }),
  },
  { $id: 'TestMailResult' },
)
export type TestMailResult = Static<typeof TestMailResult>
