import { type Static, Type } from '@sinclair/typebox'
import { ref } from './common.ts'
import { NewPassword, NewUser, User } from './users.ts'

const LoginEmail = Type.String({ maxLength: 300, description: 'Case-insensitive' })
const Password = Type.String({ maxLength: 1000, description: 'The current password' })

export const Registration = Type.Pick(NewUser, ['name', 'email', 'password'], {
  $id: 'Registration',
  description: 'An account to register',
  examples: [{ name: 'Анна Петрова', email: 'anna@example.com', password: 'what Anna thought of' }],
})
export type Registration = Static<typeof Registration>

export const Login = Type.Object(
  { email: LoginEmail, password: Password },
  {
    $id: 'Login',
    description: 'Credentials',
    examples: [{ email: 'anna@example.com', password: 'what Anna thought of' }],
  },
)
export type Login = Static<typeof Login>

const ANNA = { id: 7, name: 'Анна Петрова', email: 'anna@example.com', role: 'USER' }

export const SessionUser = Type.Pick(User, ['id', 'name', 'email', 'role'], {
  $id: 'SessionUser',
  description: 'The user of the token',
  examples: [ANNA],
})

export const Session = Type.Object(
  {
    token: Type.String({ description: 'Send as `Authorization: Bearer …`' }),
    user: ref(SessionUser),
  },
  {
    $id: 'Session',
    description: 'A token and its user',
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
  description: "An update of the caller's account; an absent phone is left unchanged",
  examples: [{ name: 'Анна Петрова', phone: '+7 900 123-45-67' }],
})
export type ProfileChange = Static<typeof ProfileChange>

export const PasswordResetRequest = Type.Object(
  { email: LoginEmail },
  {
    $id: 'PasswordResetRequest',
    description: 'The email of the account whose password was forgotten',
    examples: [{ email: 'anna@example.com' }],
  },
)
export type PasswordResetRequest = Static<typeof PasswordResetRequest>

export const PasswordReset = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: '`token` of the mailed link' }),
    password: NewPassword,
  },
  {
    $id: 'PasswordReset',
    description: 'A new password, and the token that allows it',
    examples: [
      { token: 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M', password: 'something quite different' },
    ],
  },
)
export type PasswordReset = Static<typeof PasswordReset>

export const PasswordResetRequested = Type.Object(
  {},
  {
    $id: 'PasswordResetRequested',
    description: 'The request was accepted, whether or not there is such an account',
    examples: [{}],
  },
)

export const PasswordChange = Type.Object(
  { currentPassword: Password, newPassword: NewPassword },
  {
    $id: 'PasswordChange',
    description: 'The current and the new password',
    examples: [{ currentPassword: 'what Anna thought of', newPassword: 'something quite different' }],
  },
)
export type PasswordChange = Static<typeof PasswordChange>
