import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../src/errors.ts'
import { refuseForeignOrigin } from './cors.ts'
import { errorBody, toAppError } from './errors.ts'

export type AgentTool = {
  name: string
  description: string
  /** As clients see it. */
  inputSchema: { type: 'object' }
  input: TObject
  /** @param input valid */
  run(input: object): Promise<{ data: object; text: string }>
}

declare module 'fastify' {
  interface FastifyInstance {
    mcp: {
      /** @throws AppError 403 for a page of another origin than CORS_ALLOWED_ORIGINS or the shop's own */
      admit(request: FastifyRequest): Promise<void>
      /** Answers a message of an agent that may call these tools. */
      answer(
        request: FastifyRequest,
        tools: readonly AgentTool[],
      ): Promise<{ status: 200 | 202; bytes: Buffer }>
      /** @throws AppError 405 */
      refuseMethod(): Promise<never>
    }
  }
}

const INFO = { name: 'shop', version: '1.0.0' }

/** Speaks the Model Context Protocol over Streamable HTTP, without sessions (contract section 15). */
export const mcpPlugin = fp(
  async (app) => {
    app.decorate('mcp', {
      async admit(request) {
        refuseForeignOrigin(request, app.deps.config.corsAllowedOrigins)
      },
      answer,
      async refuseMethod() {
        const headers = { allow: 'POST' }
        throw new AppError(405, 'METHOD_NOT_ALLOWED', 'There are no streams and no sessions', { headers })
      },
    })

    /** The SDK is loaded with the first message: it would slow the start down. */
    async function answer(request: FastifyRequest, tools: readonly AgentTool[]) {
      const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, protocol] =
        await Promise.all([
          import('@modelcontextprotocol/sdk/server/index.js'),
          import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
          import('@modelcontextprotocol/sdk/types.js'),
        ])
      const server = new Server(INFO, { capabilities: { tools: {} } })
      server.setRequestHandler(protocol.ListToolsRequestSchema, () => ({
        tools: tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema,
          annotations: { readOnlyHint: true, openWorldHint: false },
        })),
      }))
      server.setRequestHandler(protocol.CallToolRequestSchema, ({ params }) => {
        const tool = tools.find(({ name }) => name === params.name)
        if (tool) return call(request, tool, params.arguments ?? {})
        const message = `There is no tool ${params.name} for this caller; staff tools need a key of MANAGER or above`
        throw new protocol.McpError(protocol.ErrorCode.InvalidParams, message)
      })
      const transport = new Transport({ enableJsonResponse: true })
      try {
        await server.connect(transport)
        const headers = {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        }
        const sent = new Request('http://localhost/mcp', { method: 'POST', headers })
        const response = await transport.handleRequest(sent, { parsedBody: request.body })
        // A notification has no answer.
        const status: 200 | 202 = response.status === 202 ? 202 : 200
        return { status, bytes: Buffer.from(await response.arrayBuffer()) }
      } finally {
        await server.close()
      }
    }

    /** Errors of a tool are results, so that the model reads what is wrong. */
    async function call(request: FastifyRequest, tool: AgentTool, input: object) {
      try {
        const { data, text } = await tool.run(check(tool.input, input))
        return { structuredContent: { ...data }, content: [{ type: 'text' as const, text }] }
      } catch (error) {
        const fault = toAppError(error)
        if (fault.status >= 500) request.log.error({ err: error, tool: tool.name }, 'tool failed')
        const faults = (fault.extras.details ?? []).map(({ path, message }) => `${path} ${message}`)
        const text = [fault.message, ...faults].join('\n')
        const structuredContent = errorBody(fault, request.id)
        return { isError: true, structuredContent, content: [{ type: 'text' as const, text }] }
      }
    }

    /** Validates as the routes do, whose messages name the fields, and fills in defaults. */
    function check(schema: TObject, input: object): object {
      const validate = app.validatorCompiler?.({ schema, method: 'POST', url: '/mcp', httpPart: 'body' })
      if (validate?.(input) === true) return input
      const errors: unknown = Reflect.get(Object(validate), 'errors')
      throw Object.assign(new Error('Invalid input'), { validation: errors, validationContext: 'body' })
    }
  },
  { name: 'mcp', dependencies: ['auth'] },
)
