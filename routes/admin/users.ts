import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent } from '../../src/schemas/common.ts'
import { Page } from '../../src/schemas/lists.ts'
import { Order, OrderPageQuery } from '../../src/schemas/orders.ts'
import {
  ApiKey,
  CreatedApiKey,
  LoginBlock,
  LoginBlockParams,
  NewApiKey,
  NewUser,
  User,
  UserChange,
  UserQuery,
} from '../../src/schemas/users.ts'
import { API_KEYS, checkApiKey, createApiKey, deleteApiKey } from '../../src/services/accounts/api-keys.ts'
import { liftLoginBlock, listLoginBlocks } from '../../src/services/accounts/rate-limits.ts'
import { createUser, deleteUser, listUsers, updateUser } from '../../src/services/accounts/users.ts'
import { listUserOrders } from '../../src/services/orders/orders.ts'
import { listRecords } from '../../src/services/records.ts'
import { recordRoutes } from '../record-routes.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Users and contacts (staff)". */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listUsers',
      summary: 'List users',
      querystring: UserQuery,
      response: { 200: Page(User) },
    },
    handler: async (request) => listUsers(deps, request.query),
  })

  recordRoutes(app, {
    access: 'ADMIN',
    id: 'User',
    name: 'user',
    record: User,
    input: NewUser,
    change: UserChange,
    notes: {
      create: 'Only a SUPER_ADMIN can create a SUPER_ADMIN.',
      update:
        "A password revokes all tokens of the user. Callers can't demote themselves, and only a SUPER_ADMIN can change a SUPER_ADMIN.",
      delete: "The user's orders are kept. Callers can't delete themselves.",
    },
    conflicts: { create: ['EMAIL_TAKEN'], update: ['EMAIL_TAKEN', 'OWN_ACCOUNT'], delete: ['OWN_ACCOUNT'] },
    create: createUser,
    update: updateUser,
    delete: deleteUser,
  })

  app.get('/:id/orders', {
    config,
    schema: {
      operationId: 'listUserOrders',
      summary: "List a user's orders",
      params: IdParams,
      querystring: OrderPageQuery,
      response: { 200: Page(Order) },
    },
    handler: async (request) => listUserOrders(deps, request.params.id, request.query),
  })
}

/** Contract section 11, "Repairs without SQL". */
export const loginBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listLoginBlocks',
      summary: 'List blocked logins',
      response: { 200: List(LoginBlock, 'The blocks') },
    },
    handler: async () => listLoginBlocks(deps),
  })

  app.delete('/:id', {
    config,
    schema: {
      operationId: 'liftLoginBlock',
      summary: 'Lift a login block',
      description: 'Logins are possible again at once, and failures are counted from 0.',
      params: LoginBlockParams,
      response: { 204: NoContent },
    },
    handler: async (request) => liftLoginBlock(deps, callerOf(request), request.params.id),
  })
}

/** Contract section 3, "API keys". */
export const apiKeyRoutes: FastifyPluginAsync = async (app) => {
  recordRoutes(app, {
    access: 'SUPER_ADMIN',
    id: 'ApiKey',
    name: 'API key',
    record: ApiKey,
    created: CreatedApiKey,
    input: NewApiKey,
    check: (input) => checkApiKey(input, app.deps.now()),
    notes: {
      list: 'Expired ones included; the keys themselves are not stored.',
      create: 'The only response with the `key`, which works wherever a token does.',
      delete: 'Every instance rejects it from then on.',
    },
    conflicts: { create: ['NAME_TAKEN'] },
    list: (deps) => listRecords(deps, API_KEYS),
    create: createApiKey,
    delete: deleteApiKey,
  })
}
