import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type Running = { url: string; stop(): Promise<void> }

/** Starts a part of the bench in a process of its own, on a free port, and waits until it answers. */
export async function startProcess(
  script: string,
  environment: Record<string, string>,
  health: string,
  flags: string[] = [],
): Promise<Running> {
  const port = await freePort()
  const child = spawn(process.execPath, [...flags, script], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      HOST: '127.0.0.1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // What it says is of interest when it ends before its time.
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  let stopping = false
  child.once('exit', (code, signal) => {
    if (!stopping) console.error(`${script} ended by itself (${signal ?? code}). It said last:\n${said}`)
  })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; !(await answers(url + health)); attempt++) {
    if (attempt > 300 || child.exitCode !== null) throw new Error(`${script} did not start`)
    await delay(100)
  }
  return {
    url,
    stop: () => {
      stopping = true
      return stop(child)
    },
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.status < 500,
    () => false,
  )
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
