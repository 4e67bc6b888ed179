import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file to import, which may be larger than others. */
    importsFile?: true
  }
}

const KB = 1024
const MAX_STRANGER_BYTES = 64 * KB
const MAX_STAFF_BYTES = 1024 * KB
const MAX_IMPORT_BYTES = 20 * 1024 * KB

/** Limits JSON bodies by the access of the route (contract section 1), and charges for parsing them. */
export const bodiesPlugin = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      const { access = 'public', importsFile } = route.config ?? {}
      const isOpen = access === 'public' || access === 'user'
      route.bodyLimit = importsFile ? MAX_IMPORT_BYTES : isOpen ? MAX_STRANGER_BYTES : MAX_STAFF_BYTES
    })

    const parse = app.getDefaultJsonParser('error', 'error')
    app.removeContentTypeParser(['application/json', 'text/plain'])
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
      // Some clients send `content-type: application/json` with every POST.
      if (body === '') return done(null, undefined)
      app.charge(request, body.length)
      // Spreadsheets and editors write a byte order mark.
      return parse(request, body.toString().replace(/^\uFEFF/, ''), done)
    })
  },
  { name: 'bodies', dependencies: ['budget'] },
)
