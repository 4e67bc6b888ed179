import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { renewToken, userOf } from '../plugins/auth.ts'
import { perAddress } from '../plugins/limits.ts'
import * as wire from '../src/schemas/auth.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { Conflict, LoginRefused } from '../src/schemas/errors.ts'
import { AccountDeletion, MyData } from '../src/schemas/privacy.ts'
import * as auth from '../src/services/accounts/auth.ts'
import * as logins from '../src/services/accounts/logins.ts'
import * as totp from '../src/services/accounts/totp.ts'
import { checkConsent } from '../src/services/privacy/consents.ts'
import { deleteOwnAccount } from '../src/services/privacy/erasure.ts'
import { exportMyData } from '../src/services/privacy/my-data.ts'

const HOUR_MS = 3_600_000

/** See docs/accounts.md. */
const MAX_RESETS_PER_HOUR = 20

/** See docs/accounts.md. */
export const authRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  const session = (user: Parameters<typeof app.signToken>[0]) => auth.toSession(app.signToken(user), user)
  app.post('/register', {
    schema: {
      operationId: 'register',
      summary: 'Create an account and log in',
      description: 'The role is USER. Limited per address and hour.',
      body: ref(wire.Registration),
      response: { 201: ref(wire.Session), 409: Conflict('EMAIL_TAKEN') },
    },
    config: {
      access: 'public',
      rateLimit: perAddress('register', deps.config.rateLimits.register, HOUR_MS),
      check: (body) => checkConsent(deps, body),
    },
    handler: async (request, reply) =>
      reply.code(201).send(await session(await auth.register(deps, request.body, request.clientAddress))),
  })

  app.post('/login', {
    schema: {
      operationId: 'login',
      summary: 'Log in',
      description:
        'Unknown emails and wrong passwords get the same response. Failures are limited per address and per email. An account with two-factor login needs a `code`: without one, a right password is a 401 with the code `TOTP_REQUIRED`.',
      body: ref(wire.Login),
      response: {
        200: ref(wire.Session),
        401: ref(LoginRefused),
      },
    },
    config: { access: 'public' },
    handler: async (request) => session(await logins.login(deps, request.body, originOf(request))),
  })

  app.post('/refresh', {
    schema: {
      operationId: 'refreshToken',
      summary: "Replace the caller's token by a new one",
      description: 'Until 30 days after the login; then a 401.',
      response: { 200: ref(wire.Session) },
    },
    config: { access: 'user' },
    handler: async (request) => auth.toSession(renewToken(request), userOf(request)),
  })

  app.post('/forgot-password', {
    schema: {
      operationId: 'requestPasswordReset',
      summary: 'Request a link to set a new password',
      description:
        'The owner of the account gets a mail with a link, which works once within 60 minutes and replaces an older one. The response is the same without an account, and after three mails in an hour.',
      body: ref(wire.PasswordResetRequest),
      response: { 202: ref(wire.PasswordResetRequested) },
    },
    config: { access: 'public', rateLimit: perAddress('forgot-password', MAX_RESETS_PER_HOUR, HOUR_MS) },
    handler: async (request, reply) => {
      auth.requestPasswordReset(deps, request.body)
      return reply.code(202).send(await {})
    },
  })

  app.post('/reset-password', {
    schema: {
      operationId: 'resetPassword',
      summary: 'Set a new password with a mailed link',
      description:
        'Revokes all tokens of the account. A token that is unknown, used or expired is a 400 `RESET_TOKEN_INVALID`.',
      body: ref(wire.PasswordReset),
      response: { 204: NoContent },
    },
    config: { access: 'public', rateLimit: perAddress('reset-password', MAX_RESETS_PER_HOUR, HOUR_MS) },
    handler: async (request, reply) => {
      await auth.resetPassword(deps, request.body, request.clientAddress)
      return reply.code(204).send()
    },
  })

  app.get('/logins', {
    schema: {
      operationId: 'listLogins',
      summary: "List the last ten logins of the caller's account",
      description: 'Failed ones included.',
      response: { 200: wire.LoginEntries },
    },
    config: { access: 'user' },
    handler: async (request) => logins.listLogins(deps, userOf(request)),
  })

  app.post('/logout-everywhere', {
    schema: {
      operationId: 'logOutEverywhere',
      summary: "End all sessions of the caller's account",
      description:
        'Revokes all tokens, that of the request included, and closes live connections. API keys stay valid.',
      response: { 204: NoContent },
    },
    config: { access: 'user' },
    handler: async (request, reply) => {
      await logins.logOutEverywhere(deps, userOf(request))
      return reply.code(204).send()
    },
  })

  app.get('/profile', {
    schema: { operationId: 'getProfile', summary: "Get the caller's account", response: { 200: ref(wire.Profile) } },
    config: { access: 'user' },
    handler: async (request) => auth.toProfile(userOf(request)),
  })

  app.put('/profile', {
    schema: {
      operationId: 'updateProfile',
      summary: "Update the caller's name and phone",
      description: 'Email and role can only be changed by an ADMIN.',
      body: ref(wire.ProfileChange),
      response: { 200: ref(wire.Profile) },
    },
    config: { access: 'user' },
    handler: async (request) => auth.updateProfile(deps, userOf(request), request.body),
  })

  app.delete('/profile', {
    schema: {
      operationId: 'deleteProfile',
      summary: "Delete the caller's account",
      description:
        "Finished orders lose their customer; those that aren't are kept with their contact data. Failures count as failed logins. The last SUPER_ADMIN stays.",
      body: ref(AccountDeletion),
      response: { 204: NoContent, 409: Conflict('OWN_ACCOUNT') },
    },
    config: { access: 'user' },
    handler: async (request, reply) => {
      await deleteOwnAccount(deps, userOf(request), request.body, request.ip)
      return reply.code(204).send()
    },
  })

  app.get('/my-data', {
    schema: {
      operationId: 'exportMyData',
      summary: "Export what the shop has of the caller's account",
      response: { 200: ref(MyData) },
    },
    config: { access: 'user' },
    handler: async (request) => exportMyData(deps, userOf(request)),
  })

  app.put('/change-password', {
    schema: {
      operationId: 'changePassword',
      summary: "Change the caller's password",
      description: 'Revokes all tokens; the response has a new one.',
      body: ref(wire.PasswordChange),
      response: { 200: ref(wire.Session) },
    },
    config: { access: 'user' },
    handler: async (request) =>
      session(await auth.changePassword(deps, userOf(request), request.body, request.clientAddress)),
  })

  app.post('/totp', {
    schema: {
      operationId: 'setUpTotp',
      summary: 'Set up two-factor login',
      description:
        'The secret and the recovery codes are not shown again. They have no effect until they are confirmed; another setup replaces them.',
      response: { 200: ref(wire.TotpSetup), 409: Conflict('TOTP_ON') },
    },
    config: { access: 'user' },
    handler: async (request) => totp.setUpTotp(deps, userOf(request)),
  })

  app.post('/totp/confirm', {
    schema: {
      operationId: 'confirmTotp',
      summary: 'Switch two-factor login on',
      description: 'With the first code of the authenticator app. From now on each login needs one.',
      body: ref(wire.TotpConfirmation),
      response: { 200: ref(wire.Profile), 409: Conflict('TOTP_ON', 'TOTP_OFF') },
    },
    config: { access: 'user' },
    handler: async (request) => auth.toProfile(await totp.confirmTotp(deps, userOf(request), request.body)),
  })

  app.delete('/totp', {
    schema: {
      operationId: 'switchTotpOff',
      summary: 'Switch two-factor login off',
      description: 'Failures count as failed logins.',
      body: ref(wire.TotpRemoval),
      response: { 204: NoContent, 409: Conflict('TOTP_OFF') },
    },
    config: { access: 'user' },
    handler: async (request, reply) => {
      await totp.switchTotpOff(deps, userOf(request), request.body, request.clientAddress)
      return reply.code(204).send()
    },
  })
}

/** Where a login comes from. */
function originOf({ clientAddress, headers }: FastifyRequest): logins.Origin {
  return { address: clientAddress, userAgent: headers['user-agent'] }
}
