import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyReply {
    /** Sends what is JSON already, made to the route's response schema: nothing is serialised again. */
    json(bytes: Buffer): FastifyReply
  }
}

/** Cached answers go out as they are kept. */
export const jsonReplyPlugin = fp(
  async (app) => {
    app.decorateReply('json', function json(this: FastifyReply, bytes: Buffer) {
      return this.type('application/json; charset=utf-8').send(bytes)
    })
  },
  { name: 'json-reply' },
)
