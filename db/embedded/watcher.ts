import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { childEnvironment, type PreparedFiles } from './native.ts'

const MAX_LOG_BYTES = 10 * 1024 * 1024
/** Above every operating system's largest process id. */
const NO_SUCH_PID = '99999999'

/**
 * Starts the server, or watches the one with the given process id, and stops it when standard input closes: by stop() or
 * by the shop's death. It checks process id and working folder, so that it can't stop a later server on the same data or
 * another process that got the id.
 */
const WATCHER = `
trap '' PIPE
data=$1 pid=$2 ctl=$3 options=$4
if [ -z "$pid" ]; then
  "$ctl" start -w -t 86400 -D "$data" -o "$options" >&2 || exit 1
  read -r pid <"$data/postmaster.pid" || exit 1
fi
trap '' HUP INT TERM
echo "$pid"
read -r _
alive() {
  kill -0 "$pid" 2>/dev/null || return 1
  if [ -e /proc/self/cwd ]; then
    [ "/proc/$pid/cwd" -ef "$data" ]
  else
    read -r now <"$data/postmaster.pid" && [ "$now" = "$pid" ]
  fi
} 2>/dev/null
alive && kill -INT "$pid"
tries=0
while alive; do
  tries=$((tries + 1))
  [ "$tries" -eq 1200 ] && kill -QUIT "$pid"
  sleep 0.05
done
exit 0`

export interface Watcher {
  child: ChildProcess
  exited: Promise<void>
}

/** Runs the watcher in its own session, so that Ctrl-C in the shop's terminal doesn't reach it. */
export async function watch(
  files: PreparedFiles,
  logFile: string,
  pid: string,
  options: string,
): Promise<Watcher> {
  // With appending, the server's next write after a truncation goes to the start of the file.
  const log = await fs.open(logFile, 'a', 0o600)
  try {
    const args = [
      '-c',
      WATCHER,
      'shop-postgres-watcher',
      files.data,
      pid,
      path.join(files.native, 'bin/pg_ctl'),
    ]
    const child = spawn('/bin/sh', [...args, options], {
      ...files.account,
      cwd: '/',
      env: childEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', log.fd],
    })
    const exited = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    })
    child.stdin?.on('error', () => undefined)
    const started = new Promise<boolean>((resolve) => {
      child.stdout?.once('data', () => resolve(true))
      void exited.then(() => resolve(false))
    })
    if (!(await started)) throw new Error('the server did not start')
    child.stdout?.destroy()
    // The watcher must not keep the shop's process alive.
    child.unref()
    if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    return { child, exited }
  } finally {
    await log.close()
  }
}

/** Makes the watcher stop the server, and waits for that. */
export async function dismiss({ child, exited }: Watcher): Promise<void> {
  child.ref()
  child.stdin?.end()
  await exited
}

/** Finds the server that runs on the data folder; a dead or reused process id in postmaster.pid is none. */
export async function runningServer(data: string): Promise<{ pid: string; port: number } | null> {
  const file = path.join(data, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const [pid = '', , , port = ''] = text.split('\n')
  if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) return null
  // The working folder of PostgreSQL's main process is its data folder; without /proc it can't be checked.
  const hasProc = await fs.stat('/proc/self/cwd').catch(() => null)
  const cwd = hasProc ? await fs.readlink(`/proc/${pid}/cwd`).catch(() => '') : data
  if (cwd === data) return { pid, port: Number(port) }
  // PostgreSQL refuses to start while a process of the same user has the id, so replace it. The rest of the file lets
  // PostgreSQL detect leftovers of the old server in shared memory.
  if ((await fs.readFile(file, 'utf8').catch(() => '')) === text) {
    await fs.writeFile(file, text.replace(/^\d+/, NO_SUCH_PID)).catch(() => undefined)
  }
  return null
}

/** Whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Finds a free port on 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no free port on 127.0.0.1')
  return address.port
}

const SMALL_MACHINE: Record<string, string> = {
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '8MB',
  max_connections: '100',
  random_page_cost: '1.1',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
}

const NOT_DURABLE: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Default settings, for a small machine. */
export function defaultSettings(durable: boolean): Record<string, string> {
  return durable ? SMALL_MACHINE : { ...SMALL_MACHINE, ...NOT_DURABLE }
}

/** Formats settings for pg_ctl, which passes them through a shell. */
export function serverOptions(settings: Record<string, string>): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return Object.entries(settings)
    .map(([name, value]) => `-c ${quote(`${name}=${value}`)}`)
    .join(' ')
}

/** Rotates the log when it exceeds its maximum size; keeps one old file. */
export async function rotateLog(logFile: string): Promise<void> {
  try {
    const { size } = await fs.stat(logFile)
    if (size < MAX_LOG_BYTES) return
    await fs.copyFile(logFile, `${logFile}.1`)
    await fs.truncate(logFile)
  } catch {
    // No log yet, or a full disk: the server still works.
  }
}
