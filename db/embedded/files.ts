import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {
  type Account,
  accountFor,
  lstatOrNull,
  makeOpenFolder,
  messageOf,
  type PreparedFiles,
  passes,
  prepareBinaries,
  runAs,
  SHARED_HOME,
  USE_OWN_SERVER,
  versionOf,
} from './native.ts'
import { isAlive, runningServer } from './watcher.ts'

const PASSWORD_FILE = 'shop.password'

/** A pino logger or `console`. */
export interface EmbeddedPostgresLog {
  info(message: string): void
  warn(message: string): void
}

/** Chooses the folder for `postgres/`: dataDir, or one in SHARED_HOME if the account can't enter dataDir. */
async function chooseHome(dataDir: string, account: Account): Promise<string> {
  const enter = 'test -x "$1"'
  if (account.uid === undefined || (await passes(account, enter, dataDir))) return dataDir
  const { uid, mode } = await fs.stat(dataDir)
  if (uid === 0 && account.gid !== undefined && (await passes(account, enter, path.dirname(dataDir)))) {
    // Only dataDir itself is closed: open it to the account's group.
    await fs.chown(dataDir, uid, account.gid)
    await fs.chmod(dataDir, (mode & 0o7777) | 0o010)
    if (await passes(account, enter, dataDir)) return dataDir
  }
  const home = path.join(SHARED_HOME, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  await makeOpenFolder(SHARED_HOME)
  await makeOpenFolder(home)
  await fs.writeFile(path.join(home, 'data-of'), dataDir)
  if (!(await passes(account, enter, home))) {
    throw new Error(`The user PostgreSQL runs as can enter neither ${dataDir} nor ${home}. ${USE_OWN_SERVER}`)
  }
  return home
}

/** Deletes the unfinished data folders of killed first starts. */
async function clearLeftovers(home: string): Promise<void> {
  for (const name of await fs.readdir(home).catch(() => [])) {
    const pid = Number(/^postgres\.init-(\d+)(\.password)?$/.exec(name)?.[1])
    if (!pid || (pid !== process.pid && isAlive(pid))) continue
    // An initdb whose shop was killed may still be writing; the next start tries again.
    await fs.rm(path.join(home, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function initialise(native: string, home: string, account: Account, durable: boolean): Promise<void> {
  const folder = path.join(home, `postgres.init-${process.pid}`)
  try {
    // pg_trgm asks the C library which characters are letters, so LC_CTYPE must not be C; macOS has no C.UTF-8.
    await initdb('C.UTF-8').catch((error: unknown) => {
      if (messageOf(error).includes('invalid locale')) return initdb('en_US.UTF-8')
      throw error
    })
    await fs.rename(folder, path.join(home, 'postgres')).catch((error: unknown) => {
      // Another start was faster; its folder is equivalent.
      if (!['ENOTEMPTY', 'EEXIST'].includes(String(Reflect.get(Object(error), 'code')))) throw error
    })
  } catch (cause) {
    throw new Error(`PostgreSQL's initdb failed in ${folder}: ${messageOf(cause)}. ${USE_OWN_SERVER}`, {
      cause,
    })
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }

  async function initdb(ctype: string): Promise<void> {
    const passwordFile = `${folder}.password`
    await fs.rm(folder, { recursive: true, force: true })
    await fs.mkdir(folder, { mode: 0o700 })
    await fs.writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
    try {
      const { uid, gid } = account
      if (uid !== undefined && gid !== undefined) {
        await Promise.all([fs.chown(folder, uid, gid), fs.chown(passwordFile, uid, gid)])
      }
      const args = ['--encoding=UTF8', '--locale=C', `--lc-ctype=${ctype}`, '--locale-provider=builtin']
      args.push('--builtin-locale=C.UTF-8', '--auth=scram-sha-256', '--username=shop')
      args.push(`--pwfile=${passwordFile}`, `--pgdata=${folder}`)
      if (!durable) args.push('--no-sync')
      await runAs(account, path.join(native, 'bin', 'initdb'), args)
      // In the data folder, so that one rename publishes both and a backup contains both.
      await fs.rename(passwordFile, path.join(folder, PASSWORD_FILE))
    } finally {
      await fs.rm(passwordFile, { force: true })
    }
  }
}

/**
 * Prepares an account to run as, binaries that it can execute, and a data folder of the right version at (or linked
 * from) `<dataDir>/postgres`.
 */
export async function prepareFiles(
  folder: string,
  durable: boolean,
  log: EmbeddedPostgresLog,
): Promise<PreparedFiles> {
  await fs.mkdir(folder, { recursive: true })
  const dataDir = await fs.realpath(folder)
  // pg_ctl puts the path between double quotes in a shell command.
  if (/["$`\\]/.test(dataDir))
    throw new Error(`The path of the data folder contains one of "$\`\\: ${dataDir}`)
  const link = path.join(dataDir, 'postgres')
  const account = await accountFor(link)
  const binaries = await prepareBinaries(dataDir, account)
  const major = await versionOf(binaries, account)
  const entry = await lstatOrNull(link)
  const present = await fs.realpath(link).catch(() => null)
  if (entry && !present && durable) {
    const target = await fs.readlink(link)
    throw new Error(
      `${link} points to ${target}, which does not exist. Restore it, or delete the link to start with an empty database.`,
    )
  }
  if (!present) {
    const home = await chooseHome(dataDir, account)
    const target = path.join(home, 'postgres')
    if (home !== dataDir && (await lstatOrNull(target))) {
      // The link in dataDir was deleted to start afresh: set the old data aside instead of using it again.
      const aside = `${target}.old-${Date.now()}`
      await fs.rename(target, aside)
      if (durable) log.warn(`${link} was deleted; its data has been moved to ${aside}`)
      else await fs.rm(aside, { recursive: true, force: true })
    }
    log.info(`creating a PostgreSQL ${major} data folder in ${target}`)
    await initialise(binaries.native, home, account, durable)
    if (home !== dataDir) {
      await fs.rm(link, { force: true })
      await fs.symlink(target, link)
    }
  }
  const files = await readData(link, account, major)
  await clearLeftovers(path.dirname(files.data))
  return { account, native: binaries.native, ...files }
}

async function readData(link: string, account: Account, major: string) {
  const data = await fs.realpath(link)
  const read = (name: string) => fs.readFile(path.join(data, name), 'utf8')
  let found: string
  try {
    found = (await read('PG_VERSION')).trim()
  } catch (error) {
    const user = os.userInfo().username
    throw new Error(`${data} is not a PostgreSQL data folder that ${user} can read: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (found !== major) {
    throw new Error(
      `${data} belongs to PostgreSQL ${found}, but the installed version is ${major}. Dump it with ${found} and load it into a new folder. ${USE_OWN_SERVER}`,
    )
  }
  if (!(await passes(account, 'test -x "$1" && test -w "$1"', data))) {
    throw new Error(`The user PostgreSQL runs as cannot enter ${data}. Open its parent folders (chmod o+x).`)
  }
  return { data, password: (await read(PASSWORD_FILE)).trim() }
}

/** Finds the port and password of a server that runs on the folder; null if none does. */
export async function findServer(dataDir: string): Promise<{ port: number; password: string } | null> {
  const data = await fs.realpath(path.join(dataDir, 'postgres')).catch(() => null)
  const running = data && (await runningServer(data))
  if (!data || !running) return null
  return { port: running.port, password: (await fs.readFile(path.join(data, PASSWORD_FILE), 'utf8')).trim() }
}

/** Deletes the data folder of a stopped server, in SHARED_HOME too. */
export async function removeData(folder: string): Promise<void> {
  const link = path.join(folder, 'postgres')
  const data = await fs.realpath(link).catch(() => null)
  if (data) await fs.rm(data, { recursive: true, force: true })
  await fs.rm(link, { recursive: true, force: true })
  if (data && path.dirname(path.dirname(data)) === SHARED_HOME) {
    await fs.rm(path.dirname(data), { recursive: true, force: true })
  }
}
