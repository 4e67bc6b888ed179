import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import * as wire from '../../src/schemas/license.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import {
  checkPrice,
  createLicencePrice,
  createLicenceTopup,
  deleteLicencePrice,
  deleteLicenceTopup,
  getBalance,
  listLicencePrices,
  listLicenceTopups,
  updateLicencePrice,
  updateLicenceTopup,
} from '../../src/services/license/license.ts'

/** See docs/content.md. */
export const licenseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/balance', {
    schema: {
      operationId: 'getLicenceBalance',
      summary: 'Get the licence balance',
      description: 'A day costs the monthly total divided by the days of its month.',
      response: { 200: ref(wire.LicenceBalance) },
    },
    config: { access: 'ADMIN', permission: 'licence.read' },
    handler: async () => getBalance(deps),
  })

  app.get('/prices', {
    schema: {
      operationId: 'listLicencePrices',
      summary: 'List licence prices',
      description: 'By start date.',
      response: { 200: List(wire.LicencePrice, 'The licence prices') },
    },
    config: { access: 'ADMIN', permission: 'licence.read' },
    handler: async () => listLicencePrices(deps),
  })

  app.post('/prices', {
    schema: {
      operationId: 'createLicencePrice',
      summary: 'Create a licence price',
      description: 'Without an `endDate` it is open-ended. Periods must not overlap.',
      body: ref(wire.LicencePriceInput),
      response: { 201: ref(wire.LicencePrice), 409: Conflict('PERIOD_OVERLAP') },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write', check: checkPrice },
    handler: async (request, reply) =>
      reply.code(201).send(await createLicencePrice(deps, callerOf(request), request.body)),
  })

  app.put('/prices/:id', {
    schema: {
      operationId: 'updateLicencePrice',
      summary: 'Update a licence price',
      description: 'The cost of past days changes with it.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.LicencePriceInput),
      response: { 200: ref(wire.LicencePrice), 409: Conflict('PERIOD_OVERLAP') },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write', check: checkPrice },
    handler: async (request) => updateLicencePrice(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/prices/:id', {
    schema: {
      operationId: 'deleteLicencePrice',
      summary: 'Delete a licence price',
      description: 'The days of its period then cost nothing.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write' },
    handler: async (request, reply) => {
      await deleteLicencePrice(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.get('/topups', {
    schema: {
      operationId: 'listLicenceTopups',
      summary: 'List licence top-ups',
      description: 'Newest first, future ones included.',
      response: { 200: List(wire.LicenceTopup, 'The licence top-ups') },
    },
    config: { access: 'ADMIN', permission: 'licence.read' },
    handler: async () => listLicenceTopups(deps),
  })

  app.post('/topups', {
    schema: {
      operationId: 'createLicenceTopup',
      summary: 'Create a licence top-up',
      description: 'It counts from its date.',
      body: ref(wire.LicenceTopupInput),
      response: { 201: ref(wire.LicenceTopup) },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write' },
    handler: async (request, reply) =>
      reply.code(201).send(await createLicenceTopup(deps, callerOf(request), request.body)),
  })

  app.put('/topups/:id', {
    schema: {
      operationId: 'updateLicenceTopup',
      summary: 'Update a licence top-up',
      description: 'Changes the balance from its date.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.LicenceTopupInput),
      response: { 200: ref(wire.LicenceTopup) },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write' },
    handler: async (request) => updateLicenceTopup(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/topups/:id', {
    schema: {
      operationId: 'deleteLicenceTopup',
      summary: 'Delete a licence top-up',
      description: 'Changes the balance from its date.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'SUPER_ADMIN', permission: 'licence.write' },
    handler: async (request, reply) => {
      await deleteLicenceTopup(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
