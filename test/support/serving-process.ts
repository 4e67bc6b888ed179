import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For tests that wait for a process: seconds, but a minute on a busy machine. */
export const PROCESS_TIMEOUT_MS = 90_000

const ROOT = join(import.meta.dirname, '..', '..')

export type ServingProcess = {
  child: ChildProcess
  url: string
  output: () => string
  /** Resolves with the exit code or the name of the signal. */
  ended: Promise<number | string>
  /** Kills the process if it still runs and deletes its folder. */
  remove(): Promise<void>
}

/**
 * Starts a shop in a child process on an existing database, without jobs and supplier. A variable that `environment` sets
 * to undefined is not set at all.
 * @param command runs as the leader of a new process group
 * @param onSpawn called before the process serves, with a process that may be killed
 * @throws Error with the output and exit code if the process ends before it serves
 */
export async function startServing(
  databaseUrl: string,
  {
    command = [process.execPath, 'src/server.ts'],
    environment = {} as Record<string, string | undefined>,
    onSpawn = (_child: ChildProcess) => {},
  } = {},
): Promise<ServingProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-serving-'))
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: ROOT,
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TZ: process.env.TZ,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
      JOBS_ENABLED: 'false',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onSpawn(child)
  let output = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      const url = /documentation: (http:\S+?)\/swagger/.exec(output)?.[1]
      if (url) resolve(url)
    })
  }
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  // The last output may arrive after the exit.
  const closed = once(child, 'close')
  const url = await Promise.race([promise, ended.then((code) => `ended with ${code}`)])
  if (!url.startsWith('http')) {
    await closed
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

/** Signals the whole process group, as Ctrl-C in a terminal does. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid) process.kill(-pid, signal)
}
