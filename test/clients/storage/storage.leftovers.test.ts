import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createFileStorage } from '../../../src/clients/storage/files.ts'
import { createS3Storage } from '../../../src/clients/storage/s3.ts'

const MB = 1024 * 1024
const image = { contentType: 'image/png' }

/** A body that breaks after this many megabytes. */
async function* broken(megabytes: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < megabytes; n++) yield Buffer.alloc(MB)
  throw new Error('cut off')
}

test('a body that breaks leaves no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shop-objects-'))
  const storage = createFileStorage(folder)
  try {
    await storage.prepare()
    await expect(storage.put('a/b', Readable.from(broken(2)), image)).rejects.toThrow('cut off')
    expect(await readdir(folder, { recursive: true })).toEqual(['.half-written'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['a body that breaks', broken(33), 200, /cut off/],
  ['a server that fails', Readable.from([Buffer.alloc(33 * MB)]), 500, /storage/],
])('%s leaves no multipart upload', async (_, body, status, message) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked.push(`${request.method} ${request.url}`)
      const isStart = request.method === 'POST' && request.url?.endsWith('?uploads')
      const xml = '<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>'
      if (isStart) response.end(xml)
      else if (request.method === 'DELETE') response.writeHead(204).end()
      else response.writeHead(request.url?.includes('partNumber=2') ? status : 200, { etag: '"e"' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const storage = createS3Storage({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: 'garage', bucket: 'shop' },
    ...{ accessKey: 'key', secretKey: 'secret' },
  })
  try {
    await expect(storage.put('a/b', Readable.from(body), image)).rejects.toThrow(message)
    expect(asked.at(-1)).toBe('DELETE /shop/a/b?uploadId=u1')
  } finally {
    storage.close()
    server.close()
  }
})
