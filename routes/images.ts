import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { closeSignal } from '../plugins/responses.ts'
import { FORM, receiveFile, uploadsPlugin } from '../plugins/uploads.ts'
import { IdParams, NoContent, ref, Unchanged } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import * as wire from '../src/schemas/images.ts'
import { Page } from '../src/schemas/lists.ts'
import { downloadImage } from '../src/services/media/download.ts'
import { deleteImage, listImages, replaceImage, uploadImage } from '../src/services/media/images.ts'

const Bytes = Type.Unsafe<Readable | Buffer | undefined>(
  Type.String({ format: 'binary', description: 'Bytes of the image' }),
)
const Headers = {
  ETag: Type.String({ description: 'Send it as If-None-Match' }),
  'Accept-Ranges': Type.String({ description: 'Range requests are supported' }),
}

const content = Object.fromEntries(wire.IMAGE_CONTENT_TYPES.map((type) => [type, { schema: Bytes }]))
const Found = { description: 'The image', headers: Headers, content }

const Partial = {
  description: 'The requested range',
  headers: {
    ...Headers,
    'Content-Range': Type.String({ description: 'The range, and bytes of the whole image' }),
  },
  content,
}

const TooLarge = { ...Failure, description: 'Too many bytes, pixels or form parts' }
const NoImage = { ...Failure, description: 'No form, or no image of a supported format' }

/** See docs/content.md. */
export const imageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  await app.register(uploadsPlugin)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:id',
    schema: {
      operationId: 'downloadImage',
      summary: 'Download an image or a smaller variant',
      description:
        'Without `width`, the uploaded bytes; with it, a variant without metadata (of an animation, its first frame).',
      params: IdParams,
      querystring: wire.ImageVariantQuery,
      response: { 200: Found, 206: Partial, 304: Unchanged, 416: Failure, 429: Failure },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      const { params, query, headers: conditions, ip, method } = request
      const signal = closeSignal(request, reply)
      const image = { ...params, ...query, method, headers: conditions, ip, signal }
      const { status, headers, body } = await downloadImage(deps, image)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })

  app.get('/', {
    schema: {
      operationId: 'listImages',
      summary: 'List images',
      querystring: wire.ImageQuery,
      response: { 200: Page(wire.Image) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => listImages(deps, request.query),
  })

  app.post('/', {
    schema: {
      operationId: 'uploadImage',
      summary: 'Upload an image',
      description:
        'The format is detected from the bytes. Uploading bytes that the library already has is a 200 with the existing image.',
      consumes: [FORM],
      body: ref(wire.ImageUpload),
      response: { 200: ref(wire.Image), 201: ref(wire.Image), 413: TooLarge, 415: NoImage },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      const upload = { receive: () => receiveFile(request), signal: closeSignal(request, reply) }
      const { created, image } = await uploadImage(deps, callerOf(request), upload)
      return reply.code(created ? 201 : 200).send(image)
    },
  })

  app.put('/:id/replace', {
    schema: {
      operationId: 'replaceImage',
      summary: 'Replace an image',
      description: 'The id and all uses stay the same.',
      params: IdParams,
      consumes: [FORM],
      body: ref(wire.ImageUpload),
      response: { 200: ref(wire.Image), 413: TooLarge, 415: NoImage },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      const upload = { receive: () => receiveFile(request), signal: closeSignal(request, reply) }
      return replaceImage(deps, callerOf(request), request.params.id, upload)
    },
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteImage',
      summary: 'Delete an image',
      description: 'Deletes an image in use only with `force`, which removes it from its uses.',
      params: IdParams,
      querystring: wire.ImageDeletion,
      response: { 204: NoContent, 409: Conflict('IMAGE_IN_USE') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      await deleteImage(deps, callerOf(request), { ...request.params, ...request.query })
      return reply.code(204).send()
    },
  })
}
