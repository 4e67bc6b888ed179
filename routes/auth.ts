import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { userOf } from '../plugins/auth.ts'
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
        description: 'The role is USER. Limited per address and hour.',
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
        summary: 'Log in',
        description:
          'Unknown emails and wrong passwords get the same answer. Failures are limited per address and per email.',
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
        summary: "Get the caller's account",
        description: 'Includes the role.',
        response: { 200: ref(User) },
      },
    },
    async (request) => toUser(userOf(request)),
  )

  app.put(
    '/profile',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'updateProfile',
        summary: "Update the caller's name and phone",
        description: 'Email and role can only be changed by an ADMIN.',
        body: ref(ProfileChange),
        response: { 200: ref(User) },
      },
    },
    async (request) => updateProfile(deps, userOf(request), request.body),
  )

  app.put(
    '/change-password',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'changePassword',
        summary: "Change the caller's password",
        description: 'Revokes all tokens; the answer has a new one.',
        body: ref(PasswordChange),
        response: { 200: ref(Session), 429: Failure },
      },
    },
    async (request) => {
      const user = await changePassword(deps, userOf(request), request.body, request.ip)
      return toSession(app.signToken(user), user)
    },
  )
}
