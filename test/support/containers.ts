import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GenericContainer, type StartedNetwork, type StartedTestContainer, Wait } from 'testcontainers'
import { parse } from 'yaml'
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
const ROOT = join(import.meta.dirname, '../..')
const compose: { services: Record<string, { image: string; command?: string[] }> } = parse(
  readFileSync(join(ROOT, 'compose.yaml'), 'utf8'),
  { merge: true },
)

/** A container of a service of compose.yaml: its image and command. */
function serviceContainer(name: string): GenericContainer {
  const { image, command } = compose.services[name] ?? {}
  if (image === undefined) throw new Error(`compose.yaml has no service ${name}`)
  const container = new GenericContainer(image)
  return command ? container.withCommand(command) : container
}

/** Starts PostgreSQL as compose.yaml does. @returns the container; user, password and database are `shop` */
export function startPostgres(network?: StartedNetwork): Promise<StartedTestContainer> {
  const container = serviceContainer('postgres')
    .withEnvironment({
      POSTGRES_USER: 'shop',
      POSTGRES_PASSWORD: 'shop',
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=en_US.utf8',
    })
    .withExposedPorts(5432)
    // The image logs this twice: at its first start it listens on a socket only and restarts.
    .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
  return (network ? container.withNetwork(network).withNetworkAliases('postgres') : container).start()
}

/** Starts Garage as compose.yaml does; within the network it is `garage`. */
export async function startGarage(network?: StartedNetwork): Promise<S3Server> {
  const settings = readFileSync(join(ROOT, 'deploy/garage/garage.toml'), 'utf8')
  const key = { access: `GK${'ab'.repeat(12)}`, secret: 'cd'.repeat(32) }
  const garage = serviceContainer('garage')
    .withCopyContentToContainer([{ content: settings, target: '/etc/garage.toml' }])
    .withEnvironment({
      GARAGE_RPC_SECRET: 'ef'.repeat(32),
      GARAGE_DEFAULT_ACCESS_KEY: key.access,
      GARAGE_DEFAULT_SECRET_KEY: key.secret,
      GARAGE_DEFAULT_BUCKET: 'shop',
    })
    .withExposedPorts(GARAGE_PORT)
    .withWaitStrategy(Wait.forListeningPorts())
  const container = await (network ? garage.withNetwork(network).withNetworkAliases('garage') : garage).start()
  return {
    variables: {
      S3_ENDPOINT: network
        ? `http://garage:${GARAGE_PORT}`
        : `http://${container.getHost()}:${container.getMappedPort(GARAGE_PORT)}`,
      S3_REGION: 'garage',
      S3_BUCKET: 'shop',
      S3_ACCESS_KEY: key.access,
      S3_SECRET_KEY: key.secret,
    },
    close: async () => void (await container.stop()),
  }
}
