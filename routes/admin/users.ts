import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, IdParams, NoContent, Page, ref } from '../../src/schemas/common.ts'
import { OrderPage, OrderPageQuery } from '../../src/schemas/orders.ts'
import { NewUser, User, UserChange, UserQuery } from '../../src/schemas/users.ts'
import { createUser, deleteUser, listUsers, updateUser } from '../../src/services/accounts/users.ts'
import { listUserOrders } from '../../src/services/orders/orders.ts'

const tags = ['users']
const config = { access: 'ADMIN' } as const

/** Specification, "Users and contacts (staff)". */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listUsers',
        summary: 'Users',
        querystring: UserQuery,
        response: { 200: Page(ref(User)) },
      },
    },
    async (request) => listUsers(deps, request.query),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'createUser',
        summary: 'Create a user',
        body: NewUser,
        response: { 201: ref(User), 409: Failure },
      },
    },
    async (request, reply) => reply.code(201).send(await createUser(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateUser',
        summary: 'Change a user; a password in it is a reset and ends the tokens of that user',
        params: IdParams,
        body: UserChange,
        response: { 200: ref(User), 404: Failure, 409: Failure },
      },
    },
    async (request) => updateUser(deps, callerOf(request), request.params.id, request.body),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteUser',
        summary: 'Delete a user; the orders stay',
        params: IdParams,
        response: { 204: NoContent, 404: Failure, 409: Failure },
      },
    },
    async (request, reply) => {
      await deleteUser(deps, callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/:id/orders',
    {
      config,
      schema: {
        tags,
        operationId: 'listUserOrders',
        summary: 'The orders of a user, the newest first',
        params: IdParams,
        querystring: OrderPageQuery,
        response: { 200: OrderPage, 404: Failure },
      },
    },
    async (request) => listUserOrders(deps, request.params.id, request.query),
  )
}
