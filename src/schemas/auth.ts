import { type Static, Type } from '@sinclair/typebox'
import { Email, NewPassword, PersonName, Phone, RoleName } from './users.ts'

export const Registration = Type.Object({ name: PersonName, email: Email, password: NewPassword })
export type Registration = Static<typeof Registration>

export const Login = Type.Object({
  email: Type.String({ maxLength: 300 }),
  password: Type.String({ maxLength: 1000 }),
})
export type Login = Static<typeof Login>

export const Session = Type.Object(
  {
    token: Type.String(),
    user: Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String(), role: RoleName }),
  },
  { $id: 'Session' },
)
export type Session = Static<typeof Session>

export const ProfileChange = Type.Object({ name: PersonName, phone: Type.Optional(Phone) })
export type ProfileChange = Static<typeof ProfileChange>

export const PasswordChange = Type.Object({
  currentPassword: Type.String({ maxLength: 1000 }),
  newPassword: NewPassword,
})
export type PasswordChange = Static<typeof PasswordChange>
