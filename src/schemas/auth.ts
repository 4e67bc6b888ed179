import { type Static, Type } from '@sinclair/typebox'
import { NewPassword, NewUser, User } from './users.ts'

export const Registration = Type.Pick(NewUser, ['name', 'email', 'password'])
export type Registration = Static<typeof Registration>

export const Login = Type.Object({
  email: Type.String({ maxLength: 300 }),
  password: Type.String({ maxLength: 1000 }),
})
export type Login = Static<typeof Login>

export const Session = Type.Object(
  { token: Type.String(), user: Type.Pick(User, ['id', 'name', 'email', 'role']) },
  { $id: 'Session' },
)
export type Session = Static<typeof Session>

export const ProfileChange = Type.Pick(NewUser, ['name', 'phone'])
export type ProfileChange = Static<typeof ProfileChange>

export const PasswordChange = Type.Object({
  currentPassword: Type.String({ maxLength: 1000 }),
  newPassword: NewPassword,
})
export type PasswordChange = Static<typeof PasswordChange>
