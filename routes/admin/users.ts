import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page } from '../../src/schemas/lists.ts'
import { OrderPageQuery, StaffOrderPage } from '../../src/schemas/orders.ts'
import * as wire from '../../src/schemas/users.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import { resetTotp } from '../../src/services/accounts/totp.ts'
import * as accounts from '../../src/services/accounts/users.ts'
import { listUserOrders } from '../../src/services/orders/orders.ts'

/** See docs/accounts.md. */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listUsers',
      summary: 'List users',
      querystring: wire.UserQuery,
      response: { 200: Page(wire.User) },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request) => accounts.listUsers(deps, request.query),
  })

  app.get('/:id', {
    schema: { operationId: 'getUser', summary: 'Get a user', params: IdParams, response: { 200: ref(wire.User) } },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request) => accounts.getUser(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createUser',
      summary: 'Create a user',
      description: 'Only a SUPER_ADMIN can create a SUPER_ADMIN.',
      body: ref(wire.NewUser),
      response: { 201: ref(wire.User), 409: Conflict('EMAIL_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request, reply) =>
      reply.code(201).send(await accounts.createUser(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateUser',
      summary: 'Update a user',
      description:
        "A password revokes all tokens of the user. Callers can't demote themselves, and only a SUPER_ADMIN can change a SUPER_ADMIN.",
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.UserChange),
      response: { 200: ref(wire.User), 409: Conflict('EMAIL_TAKEN', 'OWN_ACCOUNT') },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request) => accounts.updateUser(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteUser',
      summary: 'Delete a user',
      description: "The user's orders are kept. Callers can't delete themselves.",
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent, 409: Conflict('OWN_ACCOUNT') },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request, reply) => {
      await accounts.deleteUser(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.delete('/:id/totp', {
    schema: {
      operationId: 'resetUserTotp',
      summary: "Switch off a user's two-factor login",
      description:
        'For somebody who lost both the app and the recovery codes. Ends all sessions of the user, who gets a mail. Not for the own account.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent, 409: Conflict('TOTP_OFF', 'OWN_ACCOUNT') },
    },
    config: { access: 'SUPER_ADMIN', permission: 'users.totp' },
    handler: async (request, reply) => {
      await resetTotp(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.get('/:id/orders', {
    schema: {
      operationId: 'listUserOrders',
      summary: "List a user's orders",
      params: IdParams,
      querystring: OrderPageQuery,
      response: { 200: StaffOrderPage },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request) => listUserOrders(deps, request.params.id, request.query),
  })
}
