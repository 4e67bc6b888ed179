import { type Static, Type } from '@sinclair/typebox'
import { LOGIN_OUTCOMES } from '../rules/accounts/credentials.ts'
import { permissionsOf } from '../rules/accounts/roles.ts'
import * as t from './common.ts'
import { Consent } from './consent.ts'
import { NewPassword, NewUser, User } from './users.ts'

const LoginEmail = t.FreeText(300, 'Email of the account, case-insensitive', 'anna@example.com')
const Password = t.FreeText(1000, 'The current password', 'what Anna thought of')

export const Registration = t.NamedObject('Registration', 'An account to register', {
  ...Type.Pick(NewUser, ['name', 'email', 'password']).properties,
  consent: Consent,
})
export type Registration = Static<typeof Registration>

export const Login = t.NamedObject('Login', 'Credentials', {
  email: LoginEmail,
  password: Password,
  code: Type.Optional(
    t.FreeText(100, 'Of an account with two-factor login: from the authenticator app, or a recovery code', '492039'),
  ),
})
export type Login = Static<typeof Login>

const Permission = t.NamedEnum(
  'Permission',
  'A group of endpoints of staff; each operation names its own as `x-permission`',
  permissionsOf('SUPER_ADMIN'),
)
const permissions = Type.Array(t.ref(Permission), { maxItems: 100, description: 'What the role may use' })

const SessionUser = t.NamedObject('SessionUser', 'The user of the token', {
  ...Type.Pick(User, ['id', 'name', 'email', 'role']).properties,
  permissions,
})

export const Session = t.NamedObject('Session', 'A token and its user', {
  token: t.Text(
    'Send as `Authorization: Bearer …`',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm5hQGV4YW1wbGUuY29tIn0.c2lnbmF0dXJl',
  ),
  user: t.ref(SessionUser),
})
export type Session = Static<typeof Session>

export const Profile = t.NamedObject('Profile', 'An account as its owner sees it', {
  ...Type.Omit(User, ['version']).properties,
  permissions,
})
export type Profile = Static<typeof Profile>

export const ProfileChange = t.NamedObject(
  'ProfileChange',
  "An update of the caller's account; an absent phone keeps its value",
  Type.Pick(NewUser, ['name', 'phone']).properties,
)
export type ProfileChange = Static<typeof ProfileChange>

export const PasswordResetRequest = t.NamedObject(
  'PasswordResetRequest',
  'The email of the account whose password was forgotten',
  { email: LoginEmail },
)
export type PasswordResetRequest = Static<typeof PasswordResetRequest>

export const PasswordReset = t.NamedObject('PasswordReset', 'A new password, and the token that allows it', {
  token: t.FreeText(200, '`token` from the mailed link', 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'),
  password: NewPassword,
})
export type PasswordReset = Static<typeof PasswordReset>

export const PasswordResetRequested = t.NamedObject(
  'PasswordResetRequested',
  'The request was accepted, whether or not there is such an account',
  {},
)

export const PasswordChange = t.NamedObject('PasswordChange', 'The current and the new password', {
  currentPassword: Password,
  newPassword: NewPassword,
})
export type PasswordChange = Static<typeof PasswordChange>

const Code = t.FreeText(100, 'From the authenticator app', '492039')

export const TotpSetup = t.NamedObject('TotpSetup', 'What an authenticator app needs; none of it is shown again', {
  secret: t.Text('In base32, to type in', 'ELBTCNVO2EDJH53QYYBMBXACBUQHCJYD'),
  uri: t.Text(
    'For a QR code',
    'otpauth://totp/Shop:anna%40example.com?secret=ELBTCNVO2EDJH53QYYBMBXACBUQHCJYD&issuer=Shop',
  ),
  recoveryCodes: Type.Array(t.Text('Works once, instead of a code of the app', '3f9a2-0c1d7-b84e6-55a10'), {
    maxItems: 10,
    description: 'To keep for the day when the app is lost',
  }),
})
export type TotpSetup = Static<typeof TotpSetup>

export const TotpConfirmation = t.NamedObject('TotpConfirmation', 'The first code', { code: Code })
export type TotpConfirmation = Static<typeof TotpConfirmation>

export const TotpRemoval = t.NamedObject('TotpRemoval', 'What a login needs', {
  password: Password,
  code: { ...Code, description: 'From the authenticator app, or a recovery code' },
})
export type TotpRemoval = Static<typeof TotpRemoval>

const LoginOutcome = t.NamedEnum(
  'LoginOutcome',
  'How the attempt ended; CODE_REQUIRED: the password was right, and no code followed',
  LOGIN_OUTCOMES,
)

const LoginEntry = t.NamedObject('LoginEntry', 'An attempt to log in', {
  time: t.Timestamp('When'),
  network: t.Text('Network of the address: IPv4 /24 or IPv6 /48', '203.0.113.0/24'),
  client: t.Nullable(t.Text('Browser and system, or program; null: unknown', 'Firefox, Windows')),
  outcome: t.ref(LoginOutcome),
})
export type LoginEntry = Static<typeof LoginEntry>

export const LoginEntries = t.List(LoginEntry, 'The newest first')
