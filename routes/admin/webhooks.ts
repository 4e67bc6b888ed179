import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/webhooks.ts'
import { getRecord, recordUseCases } from '../../src/services/records.ts'
import * as webhooks from '../../src/services/webhooks/webhooks.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Contract section 13. */
export const webhookRoutes = routes('ADMIN', (app, deps) => {
  recordRoutes(app, {
    name: 'webhook',
    schemas: { record: wire.Webhook, created: wire.WebhookWithSecret, input: wire.WebhookInput },
    check: (input) => webhooks.checkWebhook(deps, input),
    notes: {
      list: 'Without their secrets.',
      create: '`webhooks` of this document describes the requests. The response has the `secret` that signs them.',
      update:
        'Absent optional fields keep their values. A webhook that is switched off gets no new events; waiting ones are sent once it is switched on.',
      delete: 'Its deliveries are deleted too; waiting ones are not sent.',
    },
    get: (deps, id) => getRecord(deps, webhooks.WEBHOOKS, id),
    ...recordUseCases(webhooks.WEBHOOKS),
    create: webhooks.createWebhook,
    update: webhooks.updateWebhook,
  })

  app.post('/:id/rotate-secret', {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description: 'For a day, requests carry two signatures: by the new secret and by the previous one.',
    params: IdParams,
    response: { 200: ref(wire.WebhookWithSecret) },
    handler: async (request) => webhooks.rotateSecret(deps, callerOf(request), request.params.id),
  })

  app.post('/:id/test', {
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description:
      'A `webhook.test` with empty `data`, at once and without retries, also to a webhook that is switched off.',
    params: IdParams,
    response: { 200: ref(wire.WebhookTestResult) },
    handler: async (request) => webhooks.testWebhook(deps, request.params.id),
  })

  app.get('/:id/deliveries', {
    operationId: 'listWebhookDeliveries',
    summary: 'List the newest 200 deliveries of a webhook',
    description: 'They are deleted 14 days after they arrived or were given up.',
    params: IdParams,
    response: { 200: List(wire.WebhookDelivery, 'The deliveries') },
    handler: async (request) => webhooks.listDeliveries(deps, request.params.id),
  })

  app.post('/:id/deliveries/:deliveryId/retry', {
    operationId: 'retryWebhookDelivery',
    summary: 'Send a delivery again',
    description: 'It becomes due at once, with the same id and all its attempts, ahead of later deliveries.',
    params: wire.DeliveryParams,
    response: { 200: ref(wire.WebhookDelivery) },
    handler: async (request) => webhooks.retryDelivery(deps, callerOf(request), request.params),
  })
})
