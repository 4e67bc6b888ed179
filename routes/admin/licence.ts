import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import {
  LicenceBalance,
  LicencePrice,
  LicencePriceInput,
  LicenceTopup,
  LicenceTopupInput,
} from '../../src/schemas/licence.ts'
import * as licence from '../../src/services/licence/licence.ts'

const reading = { access: 'ADMIN' } as const
const writing = { access: 'SUPER_ADMIN' } as const

/** Specification, "Licence"; contract section 10. */
export const licenceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/balance', {
    config: reading,
    schema: {
      operationId: 'getLicenceBalance',
      summary: 'Get the licence balance',
      description: 'A day costs the monthly total divided by the days of its month.',
      response: { 200: ref(LicenceBalance) },
    },
    handler: async () => licence.getBalance(deps),
  })

  app.get('/prices', {
    config: reading,
    schema: {
      operationId: 'listLicencePrices',
      summary: 'List licence prices',
      description: 'By start date.',
      response: { 200: Type.Array(ref(LicencePrice), { description: 'The prices' }) },
    },
    handler: async () => licence.listPrices(deps),
  })

  app.post('/prices', {
    config: { ...writing, check: licence.checkPrice },
    schema: {
      operationId: 'createLicencePrice',
      summary: 'Create a licence price',
      description: 'Without an `endDate` it is open-ended. Periods must not overlap.',
      body: ref(LicencePriceInput),
      response: { 201: ref(LicencePrice), 409: Conflict('PERIOD_OVERLAP') },
    },
    handler: async (request) => licence.createPrice(deps, callerOf(request), request.body),
  })

  app.put('/prices/:id', {
    config: { ...writing, check: licence.checkPrice },
    schema: {
      operationId: 'updateLicencePrice',
      summary: 'Update a licence price',
      description: 'The cost of past days changes with it.',
      params: IdParams,
      body: ref(LicencePriceInput),
      response: { 200: ref(LicencePrice), 409: Conflict('PERIOD_OVERLAP') },
    },
    handler: async (request) => licence.updatePrice(deps, callerOf(request), request.params.id, request.body),
  })

  app.delete('/prices/:id', {
    config: writing,
    schema: {
      operationId: 'deleteLicencePrice',
      summary: 'Delete a licence price',
      description: 'The days of its period then cost nothing.',
      params: IdParams,
      response: { 204: NoContent },
    },
    handler: async (request) => licence.deletePrice(deps, callerOf(request), request.params.id),
  })

  app.get('/topups', {
    config: reading,
    schema: {
      operationId: 'listLicenceTopups',
      summary: 'List licence top-ups, the newest first',
      description: 'Future ones included.',
      response: { 200: Type.Array(ref(LicenceTopup), { description: 'The top-ups' }) },
    },
    handler: async () => licence.listTopups(deps),
  })

  app.post('/topups', {
    config: { ...writing, check: licence.checkTopup },
    schema: {
      operationId: 'createLicenceTopup',
      summary: 'Create a licence top-up',
      description: 'It counts from its date.',
      body: ref(LicenceTopupInput),
      response: { 201: ref(LicenceTopup) },
    },
    handler: async (request) => licence.createTopup(deps, callerOf(request), request.body),
  })

  app.put('/topups/:id', {
    config: { ...writing, check: licence.checkTopup },
    schema: {
      operationId: 'updateLicenceTopup',
      summary: 'Update a licence top-up',
      description: 'Changes the balance from its date.',
      params: IdParams,
      body: ref(LicenceTopupInput),
      response: { 200: ref(LicenceTopup) },
    },
    handler: async (request) => licence.updateTopup(deps, callerOf(request), request.params.id, request.body),
  })

  app.delete('/topups/:id', {
    config: writing,
    schema: {
      operationId: 'deleteLicenceTopup',
      summary: 'Delete a licence top-up',
      description: 'Changes the balance from its date.',
      params: IdParams,
      response: { 204: NoContent },
    },
    handler: async (request) => licence.deleteTopup(deps, callerOf(request), request.params.id),
  })
}
