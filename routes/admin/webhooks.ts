import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as wire from '../../src/schemas/webhooks.ts'
import * as webhooks from '../../src/services/webhooks/webhooks.ts'
import { deleteWebhook, getWebhook, listWebhooks } from '../../src/services/webhooks/webhooks.ts'

/** See docs/events.md. */
export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Without their secrets.',
      response: { 200: List(wire.Webhook, 'The webhooks') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listWebhooks(deps),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      params: IdParams,
      response: { 200: ref(wire.Webhook) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => getWebhook(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description: '`webhooks` of this document describes the requests. The response has the `secret` that signs them.',
      body: ref(wire.WebhookInput),
      response: { 201: ref(wire.WebhookWithSecret) },
    },
    config: { access: 'ADMIN', permission: 'operations', check: (input) => webhooks.checkWebhook(deps, input) },
    handler: async (request, reply) =>
      reply.code(201).send(await webhooks.createWebhook(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'Absent optional fields keep their values. A webhook that is switched off gets no new events; waiting ones are sent once it is switched on.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.WebhookInput),
      response: { 200: ref(wire.Webhook) },
    },
    config: { access: 'ADMIN', permission: 'operations', check: (input) => webhooks.checkWebhook(deps, input) },
    handler: async (request) => webhooks.updateWebhook(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'Its deliveries are deleted too; waiting ones are not sent.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      await deleteWebhook(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.post('/:id/rotate-secret', {
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description: 'For a day, requests carry two signatures: by the new secret and by the previous one.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 200: ref(wire.WebhookWithSecret) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => webhooks.rotateSecret(deps, callerOf(request), targetOf(request)),
  })

  app.post('/:id/test', {
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a test event',
      description:
        'A `webhook.test` with empty `data`, at once and without retries, also to a webhook that is switched off.',
      params: IdParams,
      response: { 200: ref(wire.WebhookTestResult) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => webhooks.testWebhook(deps, request.params.id),
  })

  app.get('/:id/deliveries', {
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List the newest 200 deliveries of a webhook',
      description: 'They are deleted 14 days after they arrived or were given up.',
      params: IdParams,
      response: { 200: List(wire.WebhookDelivery, 'The deliveries') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => webhooks.listDeliveries(deps, request.params.id),
  })

  app.post('/:id/deliveries/:deliveryId/retry', {
    schema: {
      operationId: 'retryWebhookDelivery',
      summary: 'Send a delivery again',
      description: 'It becomes due at once, with the same id and all its attempts, ahead of later deliveries.',
      params: wire.DeliveryParams,
      response: { 200: ref(wire.WebhookDelivery) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => webhooks.retryDelivery(deps, callerOf(request), request.params),
  })
}
