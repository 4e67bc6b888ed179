import { MESSAGES } from '../src/schemas/webhooks.ts'

const HEADERS = {
  'Webhook-Id': 'Id of the message, the same on each attempt: use it to recognise duplicates',
  'Webhook-Timestamp': 'Time of the attempt, in seconds since 1970',
  'Webhook-Signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed by the decoded secret without `whsec_`; after a rotation two, separated by a space',
}

/** Describes the requests to webhooks, the field `webhooks` of OpenAPI 3.1 (contract section 13). */
export function describeWebhooks() {
  const parameters = Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: true,
    description,
    schema: { type: 'string' as const },
  }))
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([event, { $id, description, examples }]) => [
      event,
      {
        post: {
          tags: ['webhooks'],
          summary: event,
          description: `${description}. Signed by the Standard Webhooks specification.`,
          parameters,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${$id}` },
                example: examples?.[0],
              },
            },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, redirects included, is retried' },
            410: { description: 'Switches the webhook off' },
          },
        },
      },
    ]),
  )
}
