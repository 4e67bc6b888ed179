import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { FORM, uploadsPlugin } from '../plugins/uploads.ts'
import { IdParams, NoContent, ref } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import {
  Image,
  ImageDeletion,
  ImagePage,
  ImageQuery,
  ImageUpload,
  ImageVariantQuery,
  MAX_IMAGE_BYTES,
} from '../src/schemas/images.ts'
import { downloadImage } from '../src/services/media/download.ts'
import { deleteImage, listImages, replaceImage, uploadImage } from '../src/services/media/images.ts'
import { closeSignal } from './close-signal.ts'

const config = { access: 'EDITOR' } as const

const Bytes = Type.Unsafe<Readable | Buffer | undefined>(Type.String({ description: 'The bytes' }))
const Headers = {
  ETag: Type.String({ description: 'To be sent back as If-None-Match' }),
  'Accept-Ranges': Type.String({ description: 'That pieces can be asked for with Range' }),
}
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']
const content = Object.fromEntries(IMAGE_TYPES.map((type) => [type, { schema: Bytes }]))
const Found = { description: 'The image', headers: Headers, content }
const Piece = {
  description: 'The piece that was asked for',
  headers: {
    ...Headers,
    'Content-Range': Type.String({ description: 'Which piece, and of how many bytes' }),
  },
  content,
}
const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'The caller has this very image' }))
const TooLarge = { ...Failure, description: 'More bytes, pixels or parts than are taken' }
const NoImage = { ...Failure, description: 'No form, or a file that is none of the images that are taken' }

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const imageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  await app.register(uploadsPlugin, { largestBytes: MAX_IMAGE_BYTES })

  for (const method of ['GET', 'HEAD'] as const) {
    app.route({
      method,
      url: '/:id',
      exposeHeadRoute: false,
      config: { access: 'public', swagger: { exposeHeadRoute: true } },
      schema: {
        tags: ['images'],
        operationId: 'downloadImage',
        summary: 'An image, or a smaller variant of it',
        description:
          'Without `width` the bytes as they were uploaded. With it, of an animation the first frame, without EXIF and the like; made when it is asked for first.',
        params: IdParams,
        querystring: ImageVariantQuery,
        response: { 200: Found, 206: Piece, 304: Unchanged, 416: Failure },
      },
      handler: async (request, reply) => {
        const { params, query, headers: conditions } = request
        const signal = closeSignal(request, reply)
        const image = { ...params, ...query, method, headers: conditions, signal }
        const { status, headers, body } = await downloadImage(deps, image)
        return reply.code(status).headers(headers).send(body)
      },
    })
  }

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listImages',
        summary: 'The media library, the newest first',
        description: 'Searched by the names of the files, with what shows each image.',
        querystring: ImageQuery,
        response: { 200: ref(ImagePage) },
      },
    },
    async (request) => listImages(deps, request.query),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'uploadImage',
        summary: 'Add an image to the library',
        description:
          'What it is its bytes decide. The same bytes are kept once: what is there already is a 200.',
        consumes: [FORM],
        body: ref(ImageUpload),
        response: { 200: ref(Image), 201: ref(Image), 413: TooLarge, 415: NoImage },
      },
    },
    async (request, reply) => {
      const upload = { receive: () => request.receiveFile(), signal: closeSignal(request, reply) }
      const { created, image } = await uploadImage(deps, callerOf(request), upload)
      return reply.code(created ? 201 : 200).send(image)
    },
  )

  app.put(
    '/:id/replace',
    {
      config,
      schema: {
        operationId: 'replaceImage',
        summary: 'Give an image other bytes',
        description: 'What shows it shows the new ones, under the same address.',
        params: IdParams,
        consumes: [FORM],
        body: ref(ImageUpload),
        response: { 200: ref(Image), 413: TooLarge, 415: NoImage },
      },
    },
    async (request, reply) => {
      const upload = { receive: () => request.receiveFile(), signal: closeSignal(request, reply) }
      return replaceImage(deps, callerOf(request), request.params.id, upload)
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteImage',
        summary: 'Delete an image',
        description: 'One that is shown somewhere only with `force`: nothing shows it any more then.',
        params: IdParams,
        querystring: ImageDeletion,
        response: { 204: NoContent, 409: Conflict('IMAGE_IN_USE') },
      },
    },
    async (request, reply) => {
      await deleteImage(deps, callerOf(request), { ...request.params, ...request.query })
      return reply.code(204).send(null)
    },
  )
}
