import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import {
  DeliveryParams,
  DeliveryQuery,
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookTestResult,
  WebhookWithSecret,
} from '../../src/schemas/webhooks.ts'
import { getRecord, listRecords, recordUseCases } from '../../src/services/records.ts'
import {
  checkWebhook,
  createWebhook,
  listDeliveries,
  retryDelivery,
  rotateSecret,
  testWebhook,
  updateWebhook,
  WEBHOOKS,
} from '../../src/services/webhooks/webhooks.ts'
import { recordRoutes } from '../record-routes.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 13. */
export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  recordRoutes(app, {
    ...config,
    id: 'Webhook',
    name: 'webhook',
    record: Webhook,
    created: WebhookWithSecret,
    input: WebhookInput,
    check: (input) => checkWebhook(deps, input),
    notes: {
      list: 'Without their secrets.',
      create: '`webhooks` of this document describes the requests. The response has the `secret` that signs them.',
      update:
        'Absent optional fields keep their values. A webhook that is switched off gets no new events; waiting ones are sent once it is switched on.',
      delete: 'Its deliveries are deleted too; waiting ones are not sent.',
    },
    list: (deps) => listRecords(deps, WEBHOOKS),
    get: (deps, id) => getRecord(deps, WEBHOOKS, id),
    ...recordUseCases(WEBHOOKS),
    create: createWebhook,
    update: updateWebhook,
  })

  app.post('/:id/rotate-secret', {
    config,
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description: 'For a day, requests carry two signatures: by the new secret and by the previous one.',
      params: IdParams,
      response: { 200: ref(WebhookWithSecret) },
    },
    handler: async (request) => rotateSecret(deps, callerOf(request), request.params.id),
  })

  app.post('/:id/test', {
    config,
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'A `webhook.test` with empty `data`, at once and without retries, also to a webhook that is switched off.',
      params: IdParams,
      response: { 200: ref(WebhookTestResult) },
    },
    handler: async (request) => testWebhook(deps, request.params.id),
  })

  app.get('/:id/deliveries', {
    config,
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List the newest 200 deliveries of a webhook',
      description: 'They are deleted 14 days after they arrived or were given up.',
      params: IdParams,
      querystring: DeliveryQuery,
      response: { 200: List(WebhookDelivery, 'The deliveries') },
    },
    handler: async (request) => listDeliveries(deps, request.params.id, request.query),
  })

  app.post('/:id/deliveries/:deliveryId/retry', {
    config,
    schema: {
      operationId: 'retryWebhookDelivery',
      summary: 'Send a delivery again',
      description:
        'It becomes due at once, with the same id and all its attempts, ahead of later deliveries. One that has arrived is sent again; one that is being sent, only if that fails.',
      params: DeliveryParams,
      response: { 200: ref(WebhookDelivery) },
    },
    handler: async (request) => retryDelivery(deps, callerOf(request), request.params),
  })
}
