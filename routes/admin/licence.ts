import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import {
  LicenceBalance,
  LicencePrice,
  LicencePriceInput,
  LicenceTopup,
  LicenceTopupInput,
} from '../../src/schemas/licence.ts'
import * as licence from '../../src/services/licence/licence.ts'

const tags = ['licence']
const reading = { access: 'ADMIN' } as const
const writing = { access: 'SUPER_ADMIN' } as const

/** Specification, "Licence"; contract section 10. */
export const licenceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/balance',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getLicenceBalance',
        summary: 'What is left of the top-ups, and how long it lasts',
        response: { 200: ref(LicenceBalance) },
      },
    },
    async () => licence.getBalance(deps),
  )

  app.get(
    '/prices',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listLicencePrices',
        summary: 'Prices by their beginning',
        response: { 200: Type.Array(ref(LicencePrice)) },
      },
    },
    async () => licence.listPrices(deps),
  )

  app.post(
    '/prices',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createLicencePrice',
        summary: 'Add a price; periods do not overlap',
        body: LicencePriceInput,
        response: { 201: ref(LicencePrice), 409: Failure },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await licence.createPrice(deps, callerOf(request), request.body)),
  )

  app.put(
    '/prices/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'updateLicencePrice',
        summary: 'Change a price',
        params: IdParams,
        body: LicencePriceInput,
        response: { 200: ref(LicencePrice), 404: Failure, 409: Failure },
      },
    },
    async (request) => licence.changePrice(deps, callerOf(request), request.params.id, request.body),
  )

  app.delete(
    '/prices/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteLicencePrice',
        summary: 'Delete a price',
        params: IdParams,
        response: { 204: NoContent, 404: Failure },
      },
    },
    async (request, reply) => {
      await licence.deletePrice(deps, callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/topups',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listLicenceTopups',
        summary: 'Top-ups, the newest first',
        response: { 200: Type.Array(ref(LicenceTopup)) },
      },
    },
    async () => licence.listTopups(deps),
  )

  app.post(
    '/topups',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createLicenceTopup',
        summary: 'Add a top-up',
        body: LicenceTopupInput,
        response: { 201: ref(LicenceTopup) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await licence.createTopup(deps, callerOf(request), request.body)),
  )

  app.put(
    '/topups/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'updateLicenceTopup',
        summary: 'Change a top-up',
        params: IdParams,
        body: LicenceTopupInput,
        response: { 200: ref(LicenceTopup), 404: Failure },
      },
    },
    async (request) => licence.changeTopup(deps, callerOf(request), request.params.id, request.body),
  )

  app.delete(
    '/topups/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteLicenceTopup',
        summary: 'Delete a top-up',
        params: IdParams,
        response: { 204: NoContent, 404: Failure },
      },
    },
    async (request, reply) => {
      await licence.deleteTopup(deps, callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
