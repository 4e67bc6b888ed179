import type { TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import manifest from '../package.json' with { type: 'json' }
import { AppError, invalid } from '../src/errors.ts'
import { errorBody, toAppError } from './errors.ts'

export type AgentTool = {
  name: string
  description: string
  /** As clients see it. */
  inputSchema: { type: 'object' }
  /** Members of the result that others than staff write. */
  foreign?: { author: string; members: string[] }
  input: TSchema
  /** @param input valid */
  run(input: object): Promise<{ data: object; text: string }>
}

/**
 * Answers a message of the Model Context Protocol over Streamable HTTP, without sessions (docs/agents.md).
 * @returns JSON; null for a notification, which has no answer
 * @throws AppError 400 for what isn't such a message, or is of an unknown version of the protocol
 */
export async function answerAgent(request: FastifyRequest, tools: readonly AgentTool[]): Promise<Buffer | null> {
  // Imported on first use: the SDK would slow down the start.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, protocol] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const server = new Server({ name: 'shop', version: manifest.version }, { capabilities: { tools: {} } })
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
  await server.connect(transport)
  const version = request.headers['mcp-protocol-version'] ?? protocol.DEFAULT_NEGOTIATED_PROTOCOL_VERSION
  const accept = 'application/json, text/event-stream'
  const headers = { accept, 'content-type': 'application/json', 'mcp-protocol-version': `${version}` }
  const sent = new Request('http://localhost/mcp', { method: 'POST', headers })
  const response = await transport.handleRequest(sent, { parsedBody: request.body })
  if (response.status === 202) return null
  const answer = Buffer.from(await response.arrayBuffer())
  if (response.ok) return answer
  const { error } = JSON.parse(answer.toString())
  const path = error.code === protocol.ErrorCode.ParseError ? 'params' : 'headers.mcp-protocol-version'
  throw invalid({ path, code: 'NOT_PROTOCOL_MESSAGE', params: { reason: error.message } })
}

/** @throws AppError 405 */
export async function refuseStream(): Promise<never> {
  const headers = { allow: 'POST' }
  throw new AppError(405, 'METHOD_NOT_ALLOWED', 'There are no streams and no sessions', { headers })
}

/** Reports a tool's errors as results, so that the model can read them. */
async function call(request: FastifyRequest, tool: AgentTool, input: object) {
  try {
    const { data, text } = await tool.run(check(request, tool.input, input))
    return {
      structuredContent: { ...data },
      content: [{ type: 'text' as const, text }],
      ...(tool.foreign && { _meta: { 'shop/data-not-instructions': tool.foreign } }),
    }
  } catch (error) {
    const fault = toAppError(error)
    if (fault.status >= 500) request.log.error({ err: error, tool: tool.name }, 'tool failed')
    const structuredContent = errorBody(fault, request.id)
    const faults = (structuredContent.details ?? []).map(({ path, message }) => `${path}: ${message}`)
    const text = [fault.message, ...faults].join('\n')
    return { isError: true, structuredContent, content: [{ type: 'text' as const, text }] }
  }
}

/** Validates as routes do, whose messages name the fields, and fills in defaults. */
function check(request: FastifyRequest, schema: TSchema, input: object): object {
  const validate = request.compileValidationSchema(schema, 'body')
  if (validate(input)) return input
  throw Object.assign(new Error('Invalid input'), { validation: validate.errors, validationContext: 'body' })
}
