import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ApiDocument } from './api-description.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const COMPILER_OPTIONS =
  '--strict --noEmit --allowImportingTsExtensions --module nodenext --target esnext --lib esnext,dom --types node'

/** What programs begin with: `got` unwraps an answer; `as` takes operations only whose description lets a token in. */
const PRELUDE = `
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'
import type { TakesToken } from './security.d.ts'

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

/** A TypeScript program that uses the types which `openapi-typescript` generates from an API description. */
export type ClientProgram = {
  /** Output of the compiler; empty without errors. */
  compile(): Promise<string>
  /** @returns what it prints */
  run(...values: string[]): Promise<string>
  remove(): Promise<void>
}

/** Writes the program behind `PRELUDE`, and the types of the paths that it names: all would take long to generate. */
export async function generateClient(document: ApiDocument, text: string): Promise<ClientProgram> {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => text.includes(`'${path}'`)),
  )
  const takers = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security.some((way) => 'bearer' in way))
      .map(([method]) => `'${method.toUpperCase()} ${path}'`),
  )
  const folder = await mkdtemp(join(tmpdir(), 'shop-client-'))
  await symlink(MODULES, join(folder, 'node_modules'))
  const files = {
    'package.json': '{"type":"module"}',
    'api.json': JSON.stringify({ ...document, paths }),
    'security.d.ts': `export type TakesToken = ${takers.join(' | ')}`,
    'program.ts': PRELUDE + text,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const node = (script: string, ...args: string[]) =>
    run(process.execPath, [script, ...args], { cwd: folder })
  await node(join(MODULES, 'openapi-typescript/bin/cli.js'), 'api.json', '--output', 'api.d.ts')
  return {
    compile: () =>
      node(join(MODULES, 'typescript-7/bin/tsc'), ...COMPILER_OPTIONS.split(' '), 'program.ts').then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      ),
    run: async (...values) => (await node('program.ts', ...values)).stdout,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
