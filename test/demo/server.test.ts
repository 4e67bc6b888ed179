import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import got from 'got'
import { afterEach, expect, test } from 'vitest'
import { startDemoSupplier } from '../../demo/supplier.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { numberedCatalogue } from './client.ts'

const started: ChildProcess[] = []

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, ['demo/server.ts'], {
    env: { ...process.env, DEMO_PRODUCTS: '50', ...env },
  })
  started.push(child)
  const output = { text: '' }
  child.stdout.on('data', (chunk) => {
    output.text += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.text += chunk
  })
  // The last output may arrive after the exit.
  return { child, output, exit: once(child, 'close') }
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

test('serves, prints its addresses and stops cleanly', async () => {
  const { child, output, exit } = run({ PORT: '0', SUPPLIER_TOKEN: 'abc' })
  await expect.poll(() => output.text, { timeout: PROCESS_TIMEOUT_MS }).toContain('/demo/orders')
  const [, url = ''] = /API\s+(http\S+)/.exec(output.text) ?? []
  const answer = await got(`${url}/ListProducts`, { headers: { token: 'abc' } }).json()
  expect(answer).toMatchObject({ items: { length: 50 }, nextPage: null })
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('prints one clear line for a port in use and for invalid settings', async () => {
  const other = await startDemoSupplier({ catalogue: numberedCatalogue(1) })
  const port = new URL(other.url).port
  const taken = run({ PORT: port })
  const wrong = run({ PORT: 'many' })
  const folder = run({ PORT: '0', DEMO_CATALOGUE: '/no/such/folder' })
  expect(await Promise.all([taken.exit, wrong.exit, folder.exit])).toEqual(Array(3).fill([1, null]))
  expect(taken.output.text).toBe(`demo supplier: port ${port} is already in use; set PORT to another one\n`)
  expect(wrong.output.text).toBe('demo supplier: PORT must be an integer from 0 to 65535, not "many"\n')
  expect(folder.output.text).toMatch(/^demo supplier: \/no\/such\/folder is not a catalogue folder.*\n$/)
  await other.close()
})
