import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GenericContainer, Wait } from 'testcontainers'
import type { S3Server } from './s3-server.ts'

/** Asks the engine itself, because the client responds without one too. */
async function hasEngine(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: 5000 })
    return true
  } catch {
    return false
  }
}

/** Whether containers can be started, and a suffix for the names of skipped tests. */
export const engine = await hasEngine()
export const skipped = engine ? '' : ' (skipped: no Docker engine answers)'

const GARAGE_PORT = 3900

/** Starts Garage as compose.yaml does. */
export async function startGarage(): Promise<S3Server> {
  const compose = readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8')
  const image = /image: (dxflrs\/garage:\S+)/.exec(compose)?.[1] ?? ''
  const settings = readFileSync(join(import.meta.dirname, '../../deploy/garage/garage.toml'), 'utf8')
  const key = { access: `GK${'ab'.repeat(12)}`, secret: 'cd'.repeat(32) }
  const container = await new GenericContainer(image)
    .withCommand(['/garage', 'server', '--single-node', '--default-bucket'])
    .withCopyContentToContainer([{ content: settings, target: '/etc/garage.toml' }])
    .withEnvironment({
      GARAGE_RPC_SECRET: 'ef'.repeat(32),
      GARAGE_DEFAULT_ACCESS_KEY: key.access,
      GARAGE_DEFAULT_SECRET_KEY: key.secret,
      GARAGE_DEFAULT_BUCKET: 'shop',
    })
    .withExposedPorts(GARAGE_PORT)
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  return {
    variables: {
      S3_ENDPOINT: `http://${container.getHost()}:${container.getMappedPort(GARAGE_PORT)}`,
      S3_REGION: 'garage',
      S3_BUCKET: 'shop',
      S3_ACCESS_KEY: key.access,
      S3_SECRET_KEY: key.secret,
    },
    close: async () => void (await container.stop()),
  }
}
