import { isUtf8 } from 'node:buffer'
import fp from 'fastify-plugin'
import { AppError, invalid } from '../src/errors.ts'

const COMPRESSED = 'Bodies must be sent without Content-Encoding'
const KB = 1024
const MAX_PUBLIC_BYTES = 64 * KB
const MAX_STAFF_BYTES = 1024 * KB

/** Limits the size of JSON bodies by the route's access (contract section 1), and charges for parsing them. */
export const bodiesPlugin = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      const { access = 'public' } = route.config ?? {}
      const isOpen = access === 'public' || access === 'user'
      route.bodyLimit ??= isOpen ? MAX_PUBLIC_BYTES : MAX_STAFF_BYTES
    })

    // Removes `__proto__`: unknown members are ignored.
    const parse = app.getDefaultJsonParser('remove', 'remove')
    app.removeContentTypeParser(['application/json', 'text/plain'])
    app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
      // Some clients send `content-type: application/json` with every POST.
      if (body.length === 0) return done(null, undefined)
      const { 'content-encoding': encoding = 'identity' } = request.headers
      if (encoding !== 'identity') return done(new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', COMPRESSED))
      app.charge(request, body.length)
      // Decoding replaces invalid bytes: a name would be stored as question marks.
      if (!isUtf8(body)) return done(invalid({ path: 'body', message: 'must be JSON in UTF-8' }))
      // Spreadsheets and editors write a byte order mark.
      return parse(request, body.toString().replace(/^\uFEFF/, ''), done)
    })
  },
  { name: 'bodies', dependencies: ['budget'] },
)
