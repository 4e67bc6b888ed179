import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent } from '../../src/schemas/common.ts'
import { Page } from '../../src/schemas/lists.ts'
import { Order, OrderPageQuery } from '../../src/schemas/orders.ts'
import * as wire from '../../src/schemas/users.ts'
import { liftLoginBlock, listLoginBlocks } from '../../src/services/accounts/rate-limits.ts'
import * as accounts from '../../src/services/accounts/users.ts'
import { listUserOrders } from '../../src/services/orders/orders.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Specification, "Users and contacts (staff)". */
export const userRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listUsers',
    summary: 'List users',
    querystring: wire.UserQuery,
    response: { 200: Page(wire.User) },
    handler: async (request) => accounts.listUsers(deps, request.query),
  })

  recordRoutes(app, {
    name: 'user',
    schemas: { record: wire.User, input: wire.NewUser, change: wire.UserChange },
    notes: {
      create: 'Only a SUPER_ADMIN can create a SUPER_ADMIN.',
      update:
        "A password revokes all tokens of the user. Callers can't demote themselves, and only a SUPER_ADMIN can change a SUPER_ADMIN.",
      delete: "The user's orders are kept. Callers can't delete themselves.",
    },
    conflicts: { create: ['EMAIL_TAKEN'], update: ['EMAIL_TAKEN', 'OWN_ACCOUNT'], delete: ['OWN_ACCOUNT'] },
    get: accounts.getUser,
    create: accounts.createUser,
    update: accounts.updateUser,
    delete: accounts.deleteUser,
  })

  app.get('/:id/orders', {
    operationId: 'listUserOrders',
    summary: "List a user's orders",
    params: IdParams,
    querystring: OrderPageQuery,
    response: { 200: Page(Order) },
    handler: async (request) => listUserOrders(deps, request.params.id, request.query),
  })
})

/** Contract section 11, "Repairs without SQL". */
export const loginBlockRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listLoginBlocks',
    summary: 'List blocked logins',
    response: { 200: List(wire.LoginBlock, 'The blocks') },
    handler: async () => listLoginBlocks(deps),
  })

  app.delete('/:id', {
    operationId: 'liftLoginBlock',
    summary: 'Lift a login block',
    description: 'Logins are possible again at once, and failures are counted from 0.',
    params: wire.LoginBlockParams,
    response: { 204: NoContent },
    handler: async (request) => liftLoginBlock(deps, callerOf(request), request.params.id),
  })
})

/** Contract section 3, "API keys". */
export const apiKeyRoutes = routes('SUPER_ADMIN', (app, deps) => {
  recordRoutes(app, {
    name: 'API key',
    schemas: { record: wire.ApiKey, created: wire.CreatedApiKey, input: wire.NewApiKey },
    check: (input) => accounts.checkApiKey(input, deps.now()),
    notes: {
      list: 'Expired ones included; the keys themselves are not stored.',
      create: 'The only response with the `key`, which works wherever a token does.',
      delete: 'Every instance rejects it from then on.',
    },
    conflicts: { create: ['NAME_TAKEN'] },
    list: accounts.listApiKeys,
    create: accounts.createApiKey,
    delete: accounts.deleteApiKey,
  })
})
