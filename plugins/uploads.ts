import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, invalid } from '../src/errors.ts'
import { type Fault, sentenceOf } from '../src/rules/faults/sentences.ts'
import { MAX_IMAGE_BYTES } from '../src/rules/media/formats.ts'

export const FORM = 'multipart/form-data'

const FIELD = 'file'
const MAX_FIELD_BYTES = 64 * 1024
/** One more file than allowed, so that the error can name the problem. */
const LIMITS = { files: 2, fields: 20, parts: 22, fieldSize: MAX_FIELD_BYTES, headerPairs: 20 }
/** Of a form, in addition to its file. */
const MAX_FORM_OVERHEAD_BYTES = MAX_FIELD_BYTES * 2

/** Lets the routes of the plugin that registers this one receive a file. */
export const uploadsPlugin = fp(
  async (app) => {
    await app.register(multipart, { limits: { ...LIMITS, fileSize: MAX_IMAGE_BYTES } })
    // The schema describes the form, but the handler reads it as a stream.
    app.addHook('onRoute', (route) => {
      const compile = app.validatorCompiler
      if (!compile || !route.schema?.consumes?.includes(FORM)) return
      route.validatorCompiler = (part) => (part.httpPart === 'body' ? () => true : compile(part))
    })
    // `receiveFile` rejects other content types with a message of its own.
    app.addContentTypeParser('*', (_request, _body, done) => done(null))
  },
  { name: 'uploads' },
)

/**
 * Receives the file in the form field `file`; other fields are ignored.
 * @throws AppError 400 unless the form is complete and has exactly one file; 413; 415
 */
export async function receiveFile(request: FastifyRequest) {
  if (!request.isMultipart()) {
    throw new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'This endpoint accepts multipart/form-data')
  }
  try {
    if (Number(request.headers['content-length']) > MAX_IMAGE_BYTES + MAX_FORM_OVERHEAD_BYTES) throw tooLarge()
    return await readForm(request)
  } catch (error) {
    // The rest of the body is discarded, so that the client receives the response.
    request.raw.unpipe()
    request.raw.resume()
    throw refusalOf(error)
  }
}

async function readForm(request: FastifyRequest) {
  let file: { bytes: Buffer; fileName: string | undefined } | undefined
  let received = 0
  request.raw.on('data', ({ length }: Buffer) => {
    received += length
    // Stops an endless form whose parts are small.
    if (received > MAX_IMAGE_BYTES + MAX_FORM_OVERHEAD_BYTES * LIMITS.fields) request.raw.destroy(tooLarge())
  })
  let files = 0
  for await (const part of request.parts()) {
    if (part.type !== 'file') continue
    files += 1
    if (files > 1) throw invalid({ path: FIELD, code: 'SEVERAL_FILES' })
    // Browsers write a quote as %22 (HTML, "multipart/form-data encoding").
    if (part.fieldname === FIELD)
      file = { bytes: await part.toBuffer(), fileName: part.filename?.replaceAll('%22', '"') }
    else part.file.resume()
  }
  if (file === undefined) throw invalid({ path: FIELD, code: 'NO_FILE' })
  return file
}

function tooLarge(): AppError {
  const fault: Fault = { path: FIELD, code: 'FILE_TOO_LARGE', params: { max: MAX_IMAGE_BYTES / 1024 / 1024 } }
  return new AppError(413, 'PAYLOAD_TOO_LARGE', sentenceOf(fault, 'en'), { faults: [fault] })
}

/** The parser's errors are the client's fault; it rejects too many parts with 413. */
function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, statusCode }: { code?: string; statusCode?: number } = Object(error)
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge()
  if (statusCode === 413) return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The form has too many parts')
  return invalid({ path: 'body', code: 'INCOMPLETE_UPLOAD' })
}
