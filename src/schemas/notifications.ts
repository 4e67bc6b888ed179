import { type Static, Type } from '@sinclair/typebox'
import { NamedObject, Text, Word } from './common.ts'

export const TestMail = NamedObject('TestMail', 'A test mail', {
  to: Word(254, 'Recipient', 'admin@example.com'),
})
export type TestMail = Static<typeof TestMail>

export const TestMailResult = NamedObject('TestMailResult', 'Result of a test mail', {
  delivered: Type.Boolean({ description: 'Whether the mail server accepted it' }),
  message: Text('Answer of the mail server', '250 OK: queued as 4F2A1'),
})
export type TestMailResult = Static<typeof TestMailResult>
