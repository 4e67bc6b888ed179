import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../src/schemas/common.ts'
import {
  LicenceBalance,
  LicencePrice,
  LicencePriceInput,
  LicenceTopup,
  LicenceTopupInput,
} from '../../src/schemas/licence.ts'
import { checkPrice, getBalance, PRICES, TOPUPS } from '../../src/services/licence/licence.ts'
import { listRecords, recordUseCases } from '../../src/services/records.ts'
import { recordRoutes } from '../record-routes.ts'

/** Specification, "Licence"; contract section 10. */
export const licenceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/balance', {
    config: { access: 'ADMIN' },
    schema: {
      operationId: 'getLicenceBalance',
      summary: 'Get the licence balance',
      description: 'A day costs the monthly total divided by the days of its month.',
      response: { 200: ref(LicenceBalance) },
    },
    handler: async () => getBalance(app.deps),
  })

  recordRoutes(app, {
    path: '/prices',
    access: 'SUPER_ADMIN',
    readAccess: 'ADMIN',
    id: 'LicencePrice',
    name: 'licence price',
    record: LicencePrice,
    input: LicencePriceInput,
    check: checkPrice,
    notes: {
      list: 'By start date.',
      create: 'Without an `endDate` it is open-ended. Periods must not overlap.',
      update: 'The cost of past days changes with it.',
      delete: 'The days of its period then cost nothing.',
    },
    conflicts: { create: ['PERIOD_OVERLAP'], update: ['PERIOD_OVERLAP'] },
    list: (deps) => listRecords(deps, PRICES),
    ...recordUseCases(PRICES),
  })

  recordRoutes(app, {
    path: '/topups',
    access: 'SUPER_ADMIN',
    readAccess: 'ADMIN',
    id: 'LicenceTopup',
    name: 'licence top-up',
    record: LicenceTopup,
    input: LicenceTopupInput,
    notes: {
      list: 'Newest first, future ones included.',
      create: 'It counts from its date.',
      update: 'Changes the balance from its date.',
      delete: 'Changes the balance from its date.',
    },
    list: (deps) => listRecords(deps, TOPUPS),
    ...recordUseCases(TOPUPS),
  })
}
