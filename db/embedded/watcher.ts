import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { childEnvironment, type PreparedFiles } from './native.ts'

const LOG_LIMIT = 10 * 1024 * 1024
/** Above every operating system's largest process id. */
const NO_SUCH_PID = '99999999'

/**
 * Starts the server, or minds the one given by its process id, until the pipe on standard input closes:
 * on stop() as well as when the shop dies. Shutting down goes by process id and working folder, so it can
 * hit neither a later server on the same data nor a stranger with a reused id.
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

/** A watcher process and the moment it ends. */
export interface Watcher {
  child: ChildProcess
  exited: Promise<void>
}

/** Runs the watcher in a session of its own, out of reach of Ctrl-C in the shop's terminal. */
export async function watch(
  files: PreparedFiles,
  logFile: string,
  pid: string,
  options: string,
): Promise<Watcher> {
  // Appending keeps the file valid when it is truncated while the server writes to it.
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
    // Not a reason for the shop to stay alive.
    child.unref()
    if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    return { child, exited }
  } finally {
    await log.close()
  }
}

/** Closes the watcher's pipe and waits until it has shut the server down. */
export async function dismiss({ child, exited }: Watcher): Promise<void> {
  child.ref()
  child.stdin?.end()
  await exited
}

/** The server that runs on the data folder, if any; a dead or reused id in postmaster.pid counts as none. */
export async function runningServer(data: string): Promise<{ pid: string; port: number } | null> {
  const file = path.join(data, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const [pid = '', , , port = ''] = text.split('\n')
  if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) return null
  // PostgreSQL's main process works in its data folder; without /proc we have to believe the file.
  const hasProc = await fs.stat('/proc/self/cwd').catch(() => null)
  const cwd = hasProc ? await fs.readlink(`/proc/${pid}/cwd`).catch(() => '') : data
  if (cwd === data) return { pid, port: Number(port) }
  // PostgreSQL would refuse to start over a living process of the same user. Only the id goes: the rest
  // of the file lets it recognise leftovers of the old server by their shared memory.
  if ((await fs.readFile(file, 'utf8').catch(() => '')) === text) {
    await fs.writeFile(file, text.replace(/^\d+/, NO_SUCH_PID)).catch(() => undefined)
  }
  return null
}

/** Whether a process with this id exists, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** A port on 127.0.0.1 that is free at this moment. */
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

const THROW_AWAY: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Settings for a small machine, or for tests that may lose their data. */
export function defaultSettings(durable: boolean): Record<string, string> {
  return durable ? SMALL_MACHINE : { ...SMALL_MACHINE, ...THROW_AWAY }
}

/** Settings as the option string that pg_ctl passes on through a shell. */
export function serverOptions(settings: Record<string, string>): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return Object.entries(settings)
    .map(([name, value]) => `-c ${quote(`${name}=${value}`)}`)
    .join(' ')
}

/** Keeps the log from growing for ever: one old part of limited size and the current one. */
export async function boundLog(logFile: string): Promise<void> {
  try {
    const { size } = await fs.stat(logFile)
    if (size < LOG_LIMIT) return
    await fs.copyFile(logFile, `${logFile}.1`)
    await fs.truncate(logFile)
  } catch {
    // No log yet, or a full disk: nothing that should hinder the shop.
  }
}
