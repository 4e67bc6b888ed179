import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

export type ServingProcess = {
  child: ChildProcess
  url: string
  output: () => string
  /** Exit code, or the signal's name, once the process has ended. */
  ended: Promise<number | string>
  /** Ends it at once if it still lives, and removes its folder. */
  remove(): Promise<void>
}

/**
 * A shop as a process of its own, on a database that is there; without jobs and supplier.
 * @throws what it said and how it ended, if it ended instead of serving
 * @param command what is started; it leads a process group of its own
 */
export async function startServing(
  databaseUrl: string,
  { command = [process.execPath, 'src/server.ts'], environment = {} as Record<string, string> } = {},
): Promise<ServingProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-serving-'))
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: ROOT,
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
      JOBS_ENABLED: 'false',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      const url = /API: (http:\S+?)\/api/.exec(output)?.[1]
      if (url) resolve(url)
    })
  }
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const url = await Promise.race([promise, ended.then((code) => `ended with ${code}`)])
  if (!url.startsWith('http')) {
    await rm(dataDir, { recursive: true, force: true })
    throw new Error(`${url}: ${output}`)
  }
  return {
    child,
    url,
    output: () => output,
    ended,
    async remove() {
      if (child.exitCode === null && child.signalCode === null) killGroup(child, 'SIGKILL')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** What Ctrl-C in a terminal does: the signal reaches every process of the group. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid) process.kill(-pid, signal)
}

/** Bytes of memory that a process holds; Linux only. */
export async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
