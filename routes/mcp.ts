import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { refuseForeignOrigin } from '../plugins/cors.ts'
import { answerAgent, refuseStream } from '../plugins/mcp.ts'
import { AgentAnswer, AgentRequest } from '../src/schemas/agents.ts'
import { ref } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import { toolsFor } from '../src/services/agents/tools.ts'

const Answer = Type.Unsafe<Buffer>(ref(AgentAnswer))
const Accepted = Type.Unsafe<undefined>(Type.Null({ description: 'A notification, which has no answer' }))

/** The tools that agents call (docs/agents.md). */
export const mcpRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/', {
    schema: {
      operationId: 'callMcp',
      summary: 'Call the Model Context Protocol server',
      description:
        'For agents: `tools/list` names the tools. Staff tools need a token or an API key of MANAGER or above.',
      body: ref(AgentRequest),
      response: { 200: Answer, 202: Accepted, 403: Failure },
    },
    config: { access: 'public', optionalToken: true },
    onRequest: app.costlyLimit(),
    preHandler: refuseForeignOrigin,
    handler: async (request, reply) => {
      const tools = toolsFor(deps, request.caller?.role ?? null, isByStaff(request))
      const answer = await answerAgent(request, tools)
      if (answer === null) return reply.code(202).send(undefined)
      return reply.type('application/json; charset=utf-8').send(answer)
    },
  })

  app.route({
    method: ['GET', 'DELETE'],
    url: '/',
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: { hide: true },
    handler: refuseStream,
  })
}
