import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import {
  type Account,
  accountFor,
  makeOpenFolder,
  prepareBinaries,
  runAs,
  SHARED_HOME,
  succeeds,
} from './native.ts'

const PASSWORD_FILE = 'shop.password'

export type PreparedFiles = {
  account: Account
  /** The folder with bin/, lib/ and share/. */
  native: string
  /** The data folder, without symbolic links. */
  data: string
  password: string
}

/**
 * Prepares an account to run as, binaries that it can execute, and a data folder at (or linked from)
 * `<dataDir>/postgres`.
 * @param durable whether a new data folder must survive a power cut
 */
export async function prepareFiles(dataDir: string, durable: boolean): Promise<PreparedFiles> {
  await fs.mkdir(dataDir, { recursive: true })
  const link = path.join(dataDir, 'postgres')
  const account = await accountFor(link)
  const native = await prepareBinaries(account)
  const isNew = !(await fs.lstat(link).catch(() => null))
  if (isNew) await createData(await fs.realpath(dataDir), link, native, account, durable)
  const data = await fs.realpath(link).catch((cause: unknown) => {
    const remedy = 'Restore it, or delete the link to start with an empty database'
    throw new Error(`${link} points to a folder that does not exist. ${remedy}.`, { cause })
  })
  return { account, native, data, password: await readPassword(data) }
}

/** The password of the superuser. */
export async function readPassword(data: string): Promise<string> {
  return (await fs.readFile(path.join(data, PASSWORD_FILE), 'utf8')).trim()
}

/** Runs initdb in a folder of its own, so that `link` appears only when the data is complete. */
async function createData(
  dataDir: string,
  link: string,
  native: string,
  account: Account,
  durable: boolean,
): Promise<void> {
  await clearLeftovers(dataDir)
  const isShared = !(await canEnter(dataDir, account))
  if (isShared) await makeOpenFolder(SHARED_HOME)
  const folder = await fs.mkdtemp(
    isShared ? path.join(SHARED_HOME, 'data-') : path.join(dataDir, `postgres.init-${process.pid}-`),
  )
  const passwordFile = `${folder}.password`
  try {
    await fs.writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
    if (account) for (const file of [folder, passwordFile]) await fs.chown(file, account.uid, account.gid)
    await runAs(account, path.join(native, 'bin', 'initdb'), [
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      // pg_trgm asks the C library which characters are letters, so LC_CTYPE must not be C; macOS has no C.UTF-8.
      `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
      ...['--auth=scram-sha-256', '--username=shop', `--pwfile=${passwordFile}`, `--pgdata=${folder}`],
      ...(durable ? [] : ['--no-sync']),
    ])
    // In the data folder, so that a backup of it contains both.
    await fs.rename(passwordFile, path.join(folder, PASSWORD_FILE))
    await (isShared ? fs.symlink(folder, link) : fs.rename(folder, link))
  } catch (error) {
    await fs.rm(folder, { recursive: true, force: true })
    // Another start may have been faster; its folder is equivalent.
    if (!['ENOTEMPTY', 'EEXIST'].includes(Reflect.get(Object(error), 'code'))) throw error
  } finally {
    await fs.rm(passwordFile, { force: true })
  }
}

/** Whether the account can enter the folder; opens one of root's to the account's group. */
async function canEnter(dataDir: string, account: Account): Promise<boolean> {
  if (account === null) return true
  const { uid, mode } = await fs.stat(dataDir)
  if (uid === 0 && (mode & 0o001) === 0) {
    await fs.chown(dataDir, uid, account.gid)
    await fs.chmod(dataDir, (mode & 0o7777) | 0o010)
  }
  return succeeds(account, '/bin/sh', ['-c', 'test -x "$1"', 'sh', dataDir])
}

/** Deletes the unfinished data folders of killed first starts. */
async function clearLeftovers(dataDir: string): Promise<void> {
  for (const name of await fs.readdir(dataDir)) {
    const pid = Number(/^postgres\.init-(\d+)/.exec(name)?.[1])
    if (!pid || isAlive(pid)) continue
    // An initdb whose shop was killed may still be writing; the next first start tries again.
    await fs.rm(path.join(dataDir, name), { recursive: true, force: true }).catch(() => undefined)
  }
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

/** Deletes the data folder of a stopped server, in SHARED_HOME too. */
export async function removeData({ data }: PreparedFiles, dataDir: string): Promise<void> {
  await fs.rm(data, { recursive: true, force: true })
  await fs.rm(path.join(dataDir, 'postgres'), { force: true })
}
