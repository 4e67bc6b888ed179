import type { Catalogue } from './catalogue.ts'
import { generateCatalogue } from './generate.ts'
import { readCatalogue } from './read-catalogue.ts'
import { type DemoSupplier, startDemoSupplier } from './supplier.ts'

// Runs the demo supplier as a program: `npm run demo:supplier`.

const { env } = process
const token = env.SUPPLIER_TOKEN ?? 'demo-token'

try {
  const catalogue = await loadCatalogue()
  const supplier = await startDemoSupplier({
    host: env.HOST ?? '127.0.0.1',
    port: wholeNumber('PORT', 4010, 65_535),
    catalogue,
    token,
    username: env.SUPPLIER_USERNAME,
    password: env.SUPPLIER_PASSWORD,
    authType: authType(),
    timeZone: env.SUPPLIER_TIME_ZONE ?? 'UTC',
    changesPerMinute: wholeNumber('DEMO_CHANGES_PER_MINUTE', 5, 100_000),
    control: true,
    log: (message) => console.log(message),
  })
  printUsage(supplier)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void supplier.close())
} catch (error) {
  console.error(`demo supplier: ${explain(error)}`)
  process.exitCode = 1
}

async function loadCatalogue(): Promise<Catalogue> {
  const folder = env.DEMO_CATALOGUE
  if (folder !== undefined && folder !== '') return await readCatalogue(folder)
  return generateCatalogue({ products: wholeNumber('DEMO_PRODUCTS', 2000, 1_000_000) })
}

function wholeNumber(name: string, fallback: number, max: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > max) throw new Error(`${name} must be an integer from 0 to ${max}, not "${text}"`)
  return value
}

function authType(): 'TOKEN' | 'BASIC' {
  const text = env.SUPPLIER_AUTH_TYPE ?? 'TOKEN'
  if (text !== 'TOKEN' && text !== 'BASIC') throw new Error(`SUPPLIER_AUTH_TYPE must be TOKEN or BASIC, not "${text}"`)
  return text
}

function printUsage({ url, siteUrl, feedUrl, catalogue }: DemoSupplier): void {
  const [first] = catalogue.products
  // Never print a token from the environment.
  const withToken = `curl -H "Token: ${env.SUPPLIER_TOKEN === undefined ? token : '$SUPPLIER_TOKEN'}"`
  console.log(`
${catalogue.products.size} products, ${catalogue.categories.size} categories, ${catalogue.brands.size} brands

  API         ${url}
  storefront  ${siteUrl}/
  YML feed    ${feedUrl}

  ${withToken} '${url}/ListProducts?page=1&limit=2'
  ${withToken} '${url}/ListProducts?page=1&limit=100&dateFrom=01.06.2026%2000:00:00.000'
  ${withToken} -H 'Content-Type: application/json' ${url}/CreateOrder -d '{"reference":"1","customer":{"name":"Анна","phone":"+7 900 000-00-00"},"items":[{"productId":"${first?.id}","quantity":1,"price":100}]}'
  curl -X POST '${siteUrl}/demo/changes?count=10'                      change ten products
  curl ${siteUrl}/demo/orders                                          list the orders received
`)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return `port ${env.PORT ?? 4010} is already in use; set PORT to another one`
  if (code === 'ENOENT') return `${env.DEMO_CATALOGUE ?? ''} is not a catalogue folder: ${error.message}`
  return error.message
}
