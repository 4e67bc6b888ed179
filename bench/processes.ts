import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../db/embedded/server.ts'

export type Running = { url: string; pid: number; startMs: number; stop(): Promise<void> }

/** Runs a shell command that becomes a server on a free port, and waits until it answers. */
export async function startProcess(
  command: string,
  environment: Record<string, string>,
  health: string,
): Promise<Running> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(command, {
    shell: true,
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
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-2000)
  })
  let stopping = false
  child.once('exit', (code, signal) => {
    if (!stopping) console.error(`${command} exited (${signal ?? code}). Its last output:\n${output}`)
  })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; !(await isReady(url + health)); attempt++) {
    if (attempt > 4500 || child.exitCode !== null) throw new Error(`${command} did not start`)
    await delay(20)
  }
  return {
    url,
    pid: child.pid ?? 0,
    startMs: performance.now() - began,
    stop: () => {
      stopping = true
      return stop(child)
    },
  }
}

async function isReady(url: string): Promise<boolean> {
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

/** Resident memory of a process in MB; 0 where /proc doesn't exist. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}
