import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { perAddress } from '../plugins/rate-limit.ts'
import { Login, PasswordChange, ProfileChange, Registration, Session } from '../src/schemas/auth.ts'
import { ref } from '../src/schemas/common.ts'
import { Conflict, Failure, Unauthorized } from '../src/schemas/errors.ts'
import { User } from '../src/schemas/users.ts'
import { changePassword, login, register, toSession, updateProfile } from '../src/services/accounts/auth.ts'
import { toUser } from '../src/services/accounts/users.ts'

const HOUR_MS = 3_600_000

/** Specification, "Authentication and profile"; contract section 3. */
export const authRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/register',
    {
      config: {
        access: 'public',
        rateLimit: perAddress('register', deps.config.rateLimits.register, HOUR_MS),
      },
      schema: {
        operationId: 'register',
        summary: 'Create an account and log in',
        description: 'The account has the role USER. So many an hour are taken from one address.',
        body: ref(Registration),
        response: { 201: ref(Session), 409: Conflict('EMAIL_TAKEN'), 429: Failure },
      },
    },
    async (request, reply) => {
      const user = await register(deps, request.body, request.ip)
      return reply.code(201).send(toSession(app.signToken(user), user))
    },
  )

  app.post(
    '/login',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'login',
        summary: 'Get a token for email and password',
        description:
          'The answer is the same for an unknown email and a wrong password. Failed logins are limited by address and by email.',
        body: ref(Login),
        response: { 200: ref(Session), 401: ref(Unauthorized), 429: Failure },
      },
    },
    async (request) => {
      const user = await login(deps, request.body, request.ip)
      return toSession(app.signToken(user), user)
    },
  )

  app.get(
    '/profile',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'getProfile',
        summary: 'The own account',
        description: 'Whose token it is.',
        response: { 200: ref(User) },
      },
    },
    async (request) => toUser(callerOf(request)),
  )

  app.put(
    '/profile',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'updateProfile',
        summary: 'Change the own name and phone',
        description: 'Email and role stay as they are.',
        body: ref(ProfileChange),
        response: { 200: ref(User) },
      },
    },
    async (request) => updateProfile(deps, callerOf(request), request.body),
  )

  app.put(
    '/change-password',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'changePassword',
        summary: 'Change the own password; ends all tokens and answers a new one',
        description: 'Every token issued before is no longer valid.',
        body: ref(PasswordChange),
        response: { 200: ref(Session), 429: Failure },
      },
    },
    async (request) => {
      const user = await changePassword(deps, callerOf(request), request.body, request.ip)
      return toSession(app.signToken(user), user)
    },
  )
}
