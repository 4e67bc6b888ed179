import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import project from '../package.json' with { type: 'json' }

const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=30', '--initial-heap-size=64']
const SAY = `-p "JSON.stringify([process.execArgv, process.env.MALLOC_ARENA_MAX, process.env.MALLOC_TRIM_THRESHOLD_, process.env.NODE_COMPILE_CACHE])"`

/** What the process of `npm start` is given: options, and the variables that have to be there before it begins. */
async function given(environment: NodeJS.ProcessEnv): Promise<unknown> {
  const script = project.scripts.start.replace('src/server.ts', SAY)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: environment })
  return JSON.parse(stdout)
}

test('npm start gives the process what it has to be given before it begins', async () => {
  const { PATH } = process.env
  const flags = [...FLAGS, '-p', expect.any(String)]
  expect(await given({ PATH })).toEqual([flags, '1', '262144', '/tmp/node-compile-cache'])
  expect(await given({ PATH, TMPDIR: '/var/tmp' })).toEqual([
    flags,
    '1',
    '262144',
    '/var/tmp/node-compile-cache',
  ])
  const own = { MALLOC_ARENA_MAX: '4', MALLOC_TRIM_THRESHOLD_: '4096', NODE_COMPILE_CACHE: '/tmp/own' }
  expect(await given({ PATH, ...own })).toEqual([flags, '4', '4096', '/tmp/own'])
})

test('what is compiled at installation is what npm start looks for', async () => {
  const { postinstall, start } = project.scripts
  for (const flag of FLAGS) expect(postinstall).toContain(` ${flag} `)
  const [folder] = /NODE_COMPILE_CACHE=\S+/.exec(start) ?? []
  expect(postinstall).toContain(` ${folder} `)
  const image = await readFile(new URL('../Dockerfile', import.meta.url), 'utf8')
  expect(image).toContain(
    `RUN ["node", ${FLAGS.map((flag) => `"${flag}"`).join(', ')}, "src/compile-ahead.ts"]`,
  )
})

test('a container starts as npm start does', async () => {
  const image = await readFile(new URL('../Dockerfile', import.meta.url), 'utf8')
  for (const flag of FLAGS) expect(image).toContain(`"${flag}"`)
  expect(image).toMatch(/^ENV .*NODE_COMPILE_CACHE=\S+ MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=262144$/m)
})
