import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, invalid } from '../src/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The one file of a form, from its field `file`; other fields are ignored.
     * @throws AppError 400 for another number of files or no whole form, 413, 415
     */
    receiveFile(): Promise<{ bytes: Buffer; fileName: string | undefined }>
  }
}

export const FORM = 'multipart/form-data'

const FIELD = 'file'
const FIELD_BYTES = 64 * 1024
/** One more than may come of files, so that it can be said what is wrong. */
const LIMITS = { files: 2, fields: 20, parts: 22, fieldSize: FIELD_BYTES, headerPairs: 20 }
/** What a form has beside its file. */
const FORM_BYTES = FIELD_BYTES * 2

/** Forms with a file, for the routes of the plugin that registers this one and no others. */
export const uploadsPlugin = fp<{ largestBytes: number }>(
  async (app, { largestBytes }) => {
    await app.register(multipart, {
      limits: { ...LIMITS, fileSize: largestBytes },
      throwFileSizeLimit: false,
    })
    // The description has it as a body, while it is a stream that the handler reads.
    app.addHook('onRoute', (route) => {
      const compile = app.validatorCompiler
      if (!compile || !route.schema?.consumes?.includes(FORM)) return
      route.validatorCompiler = (part) => (part.httpPart === 'body' ? () => true : compile(part))
    })
    // Read by nobody, and refused in words of this endpoint.
    app.addContentTypeParser('*', (_request, _body, done) => done(null))
    app.decorateRequest('receiveFile', async function receiveFile(this: FastifyRequest) {
      if (!this.isMultipart()) {
        throw new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'This endpoint takes multipart/form-data')
      }
      try {
        if (Number(this.headers['content-length']) > largestBytes + FORM_BYTES) throw tooLarge()
        return await readForm(this, largestBytes)
      } catch (error) {
        // The rest of it is read to nowhere, so that the sender gets to hear the answer.
        this.raw.unpipe()
        this.raw.resume()
        throw refusalOf(error)
      }
    })
  },
  { name: 'uploads' },
)

async function readForm(request: FastifyRequest, largestBytes: number) {
  let file: { bytes: Buffer; fileName: string | undefined } | undefined
  let received = 0
  request.raw.on('data', ({ length }: Buffer) => {
    received += length
    // A form without end, of which no part is too large.
    if (received > largestBytes + FORM_BYTES * LIMITS.fields) request.raw.destroy(tooLarge())
  })
  let files = 0
  for await (const part of request.parts()) {
    if (part.type !== 'file') continue
    files += 1
    if (files > 1) throw invalid({ path: FIELD, message: 'must be the only file' })
    if (part.fieldname === FIELD) file = { bytes: await readFile(part), fileName: part.filename }
    else part.file.resume()
  }
  if (file === undefined) throw invalid({ path: FIELD, message: 'must be there, as a file' })
  return file
}

async function readFile({ file }: MultipartFile): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of file) pieces.push(piece)
  if (file.truncated) throw tooLarge()
  return Buffer.concat(pieces)
}

function tooLarge(): AppError {
  return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The file is larger than this endpoint takes')
}

/** What the parser stumbled over is the sender's fault; its own refusals of too many parts are a 413. */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (status === 413) return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The form has more parts than are taken')
  const reason = error instanceof Error ? error.message : String(error)
  return invalid({ path: 'body', message: `is no whole multipart/form-data: ${reason}` })
}
