import { createHash } from 'node:crypto'
import { newImage } from '../../support/images.ts'
import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import type { World } from '../world.ts'
import type { Flow } from './index.ts'

type Image = { id: number; sha256: string }

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function formOf(bytes: Buffer): FormData {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], 'picture.png'))
  return form
}

async function upload({ call }: World, bytes: Buffer): Promise<Image> {
  return accepted<Image>(await call('POST', '/api/v1/images', { form: formOf(bytes) }), 200, 201)
}

/** Checks the row and the served bytes of an image. */
async function checkImage({ db, call }: World, id: number, bytes: Buffer): Promise<Finding[]> {
  const sha256 = hashOf(bytes)
  const rows = await db.selectFrom('images').select('id').where('sha256', '=', sha256).execute()
  if (rows.length === 0) return [{ kind: 'lost', what: `the row of image ${id}` }]
  if (rows.length > 1) return [{ kind: 'doubled', what: `image ${rows.map((row) => row.id)}` }]
  const served = await call('GET', `/api/v1/images/${id}`, { token: undefined })
  if (served.status === 200 && hashOf(served.bytes) === sha256) return []
  return [{ kind: 'lost', what: `the bytes of image ${id}: ${served.status}` }]
}

/** Every image has its object; an object without a row may remain until the nightly cleaning. */
async function checkAllImages(world: World): Promise<Finding[]> {
  const rows = await world.db.selectFrom('images').select(['id', 'sha256']).execute()
  const found: Finding[] = []
  for (const { id, sha256 } of rows) {
    const { status, bytes } = await world.call('GET', `/api/v1/images/${id}`, { token: undefined })
    if (status !== 200 || hashOf(bytes) !== sha256)
      found.push({ kind: 'lost', what: `the bytes of image ${id}: ${status}` })
  }
  return found
}

export const uploadImage: Flow = {
  name: 'upload',
  world: { s3: true },
  async prepare(world) {
    const bytes = await newImage()
    let id = 0
    return {
      async act() {
        id = (await upload(world, bytes)).id
      },
      check: () => checkImage(world, id, bytes),
    }
  },
  end: checkAllImages,
}

export const replaceImage: Flow = {
  name: 'replace',
  world: { s3: true },
  async prepare(world) {
    const { id } = await upload(world, await newImage())
    const bytes = await newImage()
    return {
      async act() {
        accepted(await world.call('PUT', `/api/v1/images/${id}/replace`, { form: formOf(bytes) }), 200)
      },
      check: () => checkImage(world, id, bytes),
    }
  },
  end: checkAllImages,
}

export const deleteImage: Flow = {
  name: 'delete',
  world: { s3: true },
  async prepare(world) {
    const { id } = await upload(world, await newImage())
    return {
      async act() {
        accepted(await world.call('DELETE', `/api/v1/images/${id}`), 204, 404)
      },
      async check() {
        const { status } = await world.call('GET', `/api/v1/images/${id}`, { token: undefined })
        return status === 404 ? [] : [{ kind: 'wrong', what: `the deleted image ${id}: ${status}` }]
      },
    }
  },
  end: checkAllImages,
}
