import { type Static, Type } from '@sinclair/typebox'
import { ref } from './common.ts'
import { NewPassword, NewUser, User } from './users.ts'

const LoginEmail = Type.String({ maxLength: 300, description: 'Upper and lower case are the same' })
const Password = Type.String({ maxLength: 1000, description: 'The present one' })

export const Registration = Type.Pick(NewUser, ['name', 'email', 'password'], {
  $id: 'Registration',
  description: 'An account to make for oneself',
  examples: [{ name: 'Анна Петрова', email: 'anna@example.com', password: 'what Anna thought of' }],
})
export type Registration = Static<typeof Registration>

export const Login = Type.Object(
  { email: LoginEmail, password: Password },
  {
    $id: 'Login',
    description: 'What somebody logs in with',
    examples: [{ email: 'anna@example.com', password: 'what Anna thought of' }],
  },
)
export type Login = Static<typeof Login>

const ANNA = { id: 7, name: 'Анна Петрова', email: 'anna@example.com', role: 'USER' }

export const SessionUser = Type.Pick(User, ['id', 'name', 'email', 'role'], {
  $id: 'SessionUser',
  description: 'Whose token it is',
  examples: [ANNA],
})

export const Session = Type.Object(
  {
    token: Type.String({ description: 'To be sent as `Authorization: Bearer …`' }),
    user: ref(SessionUser),
  },
  {
    $id: 'Session',
    description: 'A token and whose it is',
    examples: [
      {
        token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm5hQGV4YW1wbGUuY29tIn0.c2lnbmF0dXJl',
        user: ANNA,
      },
    ],
  },
)
export type Session = Static<typeof Session>

export const ProfileChange = Type.Pick(NewUser, ['name', 'phone'], {
  $id: 'ProfileChange',
  description: 'The own account as it shall be; an absent phone stays',
  examples: [{ name: 'Анна Петрова', phone: '+7 900 123-45-67' }],
})
export type ProfileChange = Static<typeof ProfileChange>

export const PasswordChange = Type.Object(
  { currentPassword: Password, newPassword: NewPassword },
  {
    $id: 'PasswordChange',
    description: 'The present password and the one to come',
    examples: [{ currentPassword: 'what Anna thought of', newPassword: 'something quite different' }],
  },
)
export type PasswordChange = Static<typeof PasswordChange>
