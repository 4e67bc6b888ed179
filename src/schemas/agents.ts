import { Type } from '@sinclair/typebox'
import { CartLines } from './cart.ts'
import * as t from './common.ts'

const version = Type.Literal('2.0', { description: 'Version of JSON-RPC' })
const { MIN_SAFE_INTEGER: minimum, MAX_SAFE_INTEGER: maximum } = Number
const numericId = Type.Integer({ format: 'int64', minimum, maximum, examples: [1] })
const id = Type.Union([Type.String({ maxLength: 100 }), numericId], {
  description: 'Chosen by the client; absent in a notification, which gets no response',
})

/** A message of the Model Context Protocol (docs/agents.md). */
export const AgentRequest = t.NamedObject(
  'AgentRequest',
  'A JSON-RPC request or notification; batches are not supported',
  {
    jsonrpc: version,
    id: Type.Optional(id),
    method: t.NonBlank(100, '`initialize`, `tools/list`, `tools/call`…', 'tools/call'),
    params: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(t.FreeText(100, 'The tool to call')),
          arguments: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Its input' })),
        },
        {
          additionalProperties: true,
          description: 'Parameters of the method',
          examples: [{ name: 'search_products', arguments: { search: 'перфаратор', inStock: true } }],
        },
      ),
    ),
  },
)

export const AgentAnswer = t.NamedObject('AgentAnswer', 'A JSON-RPC response: a result or an error', {
  jsonrpc: version,
  ...t.partial({
    id: Type.Union(id.anyOf, { description: 'Id of the request' }),
    result: Type.Object(
      {},
      {
        additionalProperties: true,
        description: "The method's result",
        examples: [{ content: [{ type: 'text', text: '1 product' }], structuredContent: {} }],
      },
    ),
    error: Type.Object({}, { additionalProperties: true, description: 'Code and message of the error' }),
  }),
})

export const CartToCheck = Type.Object({ items: t.ref(CartLines) })
