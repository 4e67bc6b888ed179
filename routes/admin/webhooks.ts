import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import {
  DeliveryParams,
  DeliveryQuery,
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookTestResult,
  WebhookWithSecret,
} from '../../src/schemas/webhooks.ts'
import { listDeliveries, retryDelivery, testWebhook } from '../../src/services/webhooks/deliveries.ts'
import {
  checkWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from '../../src/services/webhooks/webhooks.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 13. */
export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Without their secrets.',
      response: { 200: Type.Array(ref(Webhook), { description: 'The webhooks' }) },
    },
    handler: async () => listWebhooks(deps),
  })

  app.post('/', {
    config: { ...config, check: checkWebhook },
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events from now on are sent to it as `webhooks` of this document describe. The answer has the `secret` that signs the requests. At most 50.',
      body: ref(WebhookInput),
      response: { 201: ref(WebhookWithSecret), 409: Conflict('TOO_MANY_WEBHOOKS') },
    },
    handler: async (request) => createWebhook(deps, callerOf(request), request.body),
  })

  app.get('/:id', {
    config,
    schema: {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      params: IdParams,
      response: { 200: ref(Webhook) },
    },
    handler: async (request) => getWebhook(deps, request.params.id),
  })

  app.put('/:id', {
    config: { ...config, check: checkWebhook },
    schema: {
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'Absent optional members stay. While it is switched off it gets no new events; what waited before is sent once it is switched on.',
      params: IdParams,
      body: ref(WebhookInput),
      response: { 200: ref(Webhook) },
    },
    handler: async (request) => updateWebhook(deps, callerOf(request), request.params.id, request.body),
  })

  app.delete('/:id', {
    config,
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'With its deliveries; what waits is not sent any more.',
      params: IdParams,
      response: { 204: NoContent },
    },
    handler: async (request) => deleteWebhook(deps, callerOf(request), request.params.id),
  })

  app.post('/:id/rotate-secret', {
    config,
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description: 'For a day requests carry two signatures, by the new secret and by the one before.',
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
      description: 'Deleted 14 days after they arrived or were given up.',
      params: IdParams,
      querystring: DeliveryQuery,
      response: { 200: Type.Array(ref(WebhookDelivery), { description: 'The deliveries' }) },
    },
    handler: async (request) => listDeliveries(deps, request.params.id, request.query),
  })

  app.post('/:id/deliveries/:deliveryId/retry', {
    config,
    schema: {
      operationId: 'retryWebhookDelivery',
      summary: 'Deliver again',
      description:
        'Due at once, with the same id and all attempts, before younger deliveries; one that arrived is sent again.',
      params: DeliveryParams,
      response: { 200: ref(WebhookDelivery) },
    },
    handler: async (request) => retryDelivery(deps, callerOf(request), request.params),
  })
}
