import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { costs } from '../plugins/budget.ts'
import { mcpPlugin } from '../plugins/mcp.ts'
import { AgentAnswer, AgentRequest } from '../src/schemas/agents.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import { toolsFor } from '../src/services/agents/tools.ts'

/** What the SDK does for a message, in bytes of a body that takes as long to parse. */
const MESSAGE_COST = 2048

/** The tools that agents call (contract section 15). */
export const mcpRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(mcpPlugin)
  const { deps, mcp } = app

  app.post('/', {
    config: { access: 'public', optionalToken: true },
    onRequest: costs(MESSAGE_COST),
    schema: {
      operationId: 'callMcp',
      summary: 'Call the Model Context Protocol server',
      description:
        'For agents: `tools/list` names the tools. Staff tools need a token or an API key of MANAGER or above.',
      body: ref(AgentRequest),
      response: { 200: ref(AgentAnswer), 202: NoContent, 403: Failure },
    },
    preHandler: mcp.admit,
    handler: async (request, reply) => {
      const tools = toolsFor(deps, request.caller?.role ?? null, isByStaff(request))
      const { status, bytes } = await mcp.answer(request, tools)
      return reply.code(status).json(bytes)
    },
  })

  app.route({
    method: ['GET', 'DELETE'],
    url: '/',
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: { hide: true },
    handler: mcp.refuseMethod,
  })
}
