import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Server = { run(): Promise<{ port: number }>; close(): Promise<void> }
type Options = { address: string; port: number; silent: boolean; directory: string }

const require = createRequire(import.meta.url)
// The package has no types.
const S3rver: new (options: Options) => Server = require('s3rver')

export type S3Server = { variables: Record<string, string>; close(): Promise<void> }

/** Starts an S3 server in this process; it accepts any secret for its access key. */
export async function startS3Server(onPort = 0): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'shop-s3-'))
  const server = new S3rver({ address: '127.0.0.1', port: onPort, silent: true, directory })
  const { port } = await server.run()
  return {
    variables: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'shop-objects',
      S3_ACCESS_KEY: 'S3RVER',
      S3_SECRET_KEY: 'S3RVER',
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
