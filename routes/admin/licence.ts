import { ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/licence.ts'
import { checkPrice, getBalance, PRICES, TOPUPS } from '../../src/services/licence/licence.ts'
import { recordUseCases } from '../../src/services/records.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Specification, "Licence"; contract section 10. */
export const licenceRoutes = routes('ADMIN', (app, deps) => {
  app.get('/balance', {
    operationId: 'getLicenceBalance',
    summary: 'Get the licence balance',
    description: 'A day costs the monthly total divided by the days of its month.',
    response: { 200: ref(wire.LicenceBalance) },
    handler: async () => getBalance(deps),
  })

  recordRoutes(app, {
    path: '/prices',
    writeAccess: 'SUPER_ADMIN',
    name: 'licence price',
    schemas: { record: wire.LicencePrice, input: wire.LicencePriceInput },
    check: checkPrice,
    notes: {
      list: 'By start date.',
      create: 'Without an `endDate` it is open-ended. Periods must not overlap.',
      update: 'The cost of past days changes with it.',
      delete: 'The days of its period then cost nothing.',
    },
    conflicts: { create: ['PERIOD_OVERLAP'], update: ['PERIOD_OVERLAP'] },
    ...recordUseCases(PRICES),
  })

  recordRoutes(app, {
    path: '/topups',
    writeAccess: 'SUPER_ADMIN',
    name: 'licence top-up',
    schemas: { record: wire.LicenceTopup, input: wire.LicenceTopupInput },
    notes: {
      list: 'Newest first, future ones included.',
      create: 'It counts from its date.',
      update: 'Changes the balance from its date.',
      delete: 'Changes the balance from its date.',
    },
    ...recordUseCases(TOPUPS),
  })
})
