import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { VARIABLES } from '../src/environment.ts'

const ROOT = join(import.meta.dirname, '..')
const TEXT = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')

type Service = {
  image: string
  build?: { context: string; target: string }
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  networks: string[]
  depends_on?: string[] | Record<string, unknown>
  tmpfs: string[]
  [key: string]: unknown
}
type Compose = {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, null>
}

const compose: Compose = parse(TEXT, { merge: true })
const services = Object.entries(compose.services)
const serviceNames = Object.keys(compose.services)
const listed = (value: string[] | Record<string, unknown> = []) => (Array.isArray(value) ? value : Object.keys(value))
/** Default values of variables, as Compose fills them in. */
const filled = (text: string) => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
const readDeploy = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8')

describe.each(services)('%s', (_name, service) => {
  test('runs with few rights and limited resources, and starts again', () => {
    expect(service).toMatchObject({
      restart: 'unless-stopped',
      read_only: true,
      tmpfs: expect.arrayContaining(['/tmp']),
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
      deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
    })
  })

  test('has a pinned image', () => {
    if (service.build) expect(service.image).toMatch(/^shop(-demo)?:\$\{SHOP_VERSION:-latest\}$/)
    else expect(service.image).toMatch(/^[\w/-]+:v?\d+\.\d+(\.\d+)?(-alpine[\d.]*)?$/)
  })

  test('names networks, volumes, files and services that exist', () => {
    expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining(service.networks))
    expect(serviceNames).toEqual(expect.arrayContaining(listed(service.depends_on)))
    for (const volume of service.volumes ?? []) {
      const [source = '', , mode] = volume.split(':')
      if (!source.startsWith('./')) expect(compose.volumes).toHaveProperty([source])
      else {
        expect(existsSync(join(ROOT, source)), source).toBe(true)
        expect(mode, source).toBe('ro')
      }
    }
  })

  test('shares a network with what it depends on', () => {
    for (const other of listed(service.depends_on)) {
      const shared = service.networks.filter((name) => compose.services[other]?.networks.includes(name))
      expect(shared, other).not.toEqual([])
    }
  })
})

test('only the proxy can be reached from outside', () => {
  const published = services.filter(([, { ports = [] }]) => ports.some((port) => !/^127\.0\.0\.1:/.test(port)))
  expect(published.map(([name]) => name)).toEqual(['caddy'])
  for (const name of ['postgres', 'garage'])
    expect(compose.services[name]?.networks.every((network) => compose.networks[network]?.internal)).toBe(true)
})

test('passwords and keys have no default', () => {
  const secrets = [...TEXT.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|TOKEN|ACCESS_KEY)\w*)(:[-?][^}]*)\}/g)]
  const optional = ['ADMIN_PASSWORD', 'SUPPLIER_PASSWORD']
  expect(secrets.length).toBeGreaterThan(8)
  for (const [, name = '', rest = ''] of secrets)
    expect(rest, name).toMatch(optional.includes(name) ? /^:-$/ : /^:\?set /)
})

describe('the shop', () => {
  const [one, two] = ['shop-1', 'shop-2'].map((name) => compose.services[name])
  const set = Object.keys(one?.environment ?? {})

  test('runs twice, and only its data differ', () => {
    expect({ ...two, volumes: [] }).toEqual({ ...one, volumes: [] })
    expect([one?.volumes, two?.volumes]).toEqual([['shop-1-data:/data'], ['shop-2-data:/data']])
  })

  test('gets every variable that the image does not set, and no other', () => {
    const setByImage = ['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR', 'DEMO_CATALOGUE', 'DEMO_CHANGES_PER_MINUTE']
    expect(set.toSorted()).toEqual(
      Object.keys(VARIABLES)
        .filter((name) => !setByImage.includes(name))
        .toSorted(),
    )
  })

  test('speaks to services of this file', () => {
    const hosts = set.flatMap((name) => {
      const value = filled(one?.environment?.[name] ?? '')
      return [...value.matchAll(/(?:@|:\/\/)([a-z][\w-]*):(\d+)/g)].map(([, host]) => host)
    })
    expect(new Set(hosts)).toEqual(new Set(['postgres', 'garage', 'mailpit']))
  })
})

test('Caddy, Prometheus and Grafana name the services and ports that exist', () => {
  const instances = ['shop-1:3000', 'shop-2:3000']
  const [, upstreams = ''] = /^\s*reverse_proxy (.+) \{$/m.exec(readDeploy('caddy/Caddyfile')) ?? []
  expect(upstreams.split(' ')).toEqual(instances)
  const prometheus = parse(readDeploy('prometheus/prometheus.yml'))
  expect(prometheus.scrape_configs[0].static_configs[0].targets).toEqual(instances)
  for (const file of prometheus.rule_files)
    expect(existsSync(join(ROOT, file.replace('/etc', 'deploy'))), file).toBe(true)
  const [, dashboard = ''] = /DASHBOARD_PATH: (\S+)/.exec(TEXT) ?? []
  expect(existsSync(join(ROOT, dashboard.replace('/etc/grafana/shop', 'deploy/grafana')))).toBe(true)
  const { datasources } = parse(readDeploy('grafana/provisioning/datasources/prometheus.yml'))
  expect(datasources[0].url).toBe('http://prometheus:9090')
})

test('Caddy notices the announced end of an instance in time', () => {
  const connections = readFileSync(join(ROOT, 'plugins/connections.ts'), 'utf8')
  const announced = Number(/ANNOUNCE_MS = (\d+)/.exec(connections)?.[1])
  const interval = Number(/health_interval (\d+)ms/.exec(readDeploy('caddy/Caddyfile'))?.[1])
  expect(interval * 2).toBeLessThan(announced)
})

test('the workflow of CI sets every variable without which Compose stops', () => {
  const required = new Set([...TEXT.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
  const workflow = parse(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8'))
  expect(new Set(Object.keys(workflow.jobs.deployment.env))).toEqual(required)
})
