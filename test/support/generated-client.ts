import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import type { ApiDocument } from './api-description.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const COMPILER_OPTIONS =
  '--strict --noEmit --skipLibCheck --allowImportingTsExtensions --module nodenext --target esnext --lib esnext,dom --types node'

/** What programs begin with: `got` unwraps an answer; `as` takes only operations whose description allows a token. */
const PRELUDE = `
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'
import type { TakesToken } from './security.ts'

type Schemas = components['schemas']
const [, , baseUrl = '', ...values] = process.argv
const api = createClient<paths>({ baseUrl })
const as = (token: string, _operation: TakesToken) => ({ headers: { authorization: \`Bearer \${token}\` } })

function got<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

function done({ response, error }: { response: Response; error?: unknown }): void {
  if (!response.ok) throw new Error(JSON.stringify(error))
}
`

const run = promisify(execFile)

/** TypeScript programs that use the types which `openapi-typescript` generates from an API description. */
export type Client = {
  /** Output of the compiler; empty without errors. */
  compile(): Promise<string>
  /** @returns what the program prints */
  run(program: string, ...values: string[]): Promise<string>
  remove(): Promise<void>
}

const BLOB = ts.factory.createTypeReferenceNode('Blob')

/** As the documentation of `openapi-typescript` shows, a file is a Blob. */
async function typesOf(document: object): Promise<string> {
  const transform = ({ format }: SchemaObject) => (format === 'binary' ? BLOB : undefined)
  return astToString(await openapiTS(JSON.stringify(document), { transform }))
}

/**
 * Writes the programs behind `PRELUDE`, and the types of the paths that they name: all would take long to generate.
 * @param programs texts by name
 */
export async function generateClient(document: ApiDocument, programs: { [name: string]: string }): Promise<Client> {
  const text = Object.values(programs).join()
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => text.includes(`'${path}'`)))
  const takers = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security.some((way) => 'bearer' in way))
      .map(([method]) => `'${method.toUpperCase()} ${path}'`),
  )
  const folder = await mkdtemp(join(tmpdir(), 'shop-client-'))
  await symlink(MODULES, join(folder, 'node_modules'))
  const files = Object.keys(programs).map((name) => `${name}.ts`)
  const write = (name: string, content: string) => writeFile(join(folder, name), content)
  await write('package.json', '{"type":"module"}')
  await write('security.ts', `export type TakesToken = ${takers.join(' | ')}`)
  for (const [name, program] of Object.entries(programs)) await write(`${name}.ts`, PRELUDE + program)
  const node = (script: string, ...args: string[]) => run(process.execPath, [script, ...args], { cwd: folder })
  await write('api.ts', await typesOf({ ...document, paths }))
  return {
    compile: () =>
      node(join(MODULES, 'typescript-7/bin/tsc'), ...COMPILER_OPTIONS.split(' '), ...files).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      ),
    run: async (name, ...values) => (await node(`${name}.ts`, ...values)).stdout,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
