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
import { isAlive } from './watcher.ts'

const PASSWORD_FILE = 'shop.password'

/** The part of a logger the embedded server needs; a pino logger and `console` both fit. */
export interface EmbeddedPostgresLog {
  info(message: string): void
  warn(message: string): void
}

/** Removes what throw-away servers left in the shared folder once their own folder has gone. */
async function sweepThrowAways(): Promise<void> {
  for (const name of await fs.readdir(SHARED_HOME).catch(() => [])) {
    const origin = await fs.readFile(path.join(SHARED_HOME, name, 'throw-away'), 'utf8').catch(() => null)
    if (origin === null || (await lstatOrNull(origin))) continue
    await fs.rm(path.join(SHARED_HOME, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The folder to hold `postgres/`: dataDir itself, or a stand-in when the account cannot get to it. */
async function chooseHome(dataDir: string, account: Account, durable: boolean): Promise<string> {
  const enter = 'test -x "$1"'
  if (account.uid === undefined || (await passes(account, enter, dataDir))) return dataDir
  const { uid, mode } = await fs.stat(dataDir)
  if (uid === 0 && account.gid !== undefined && (await passes(account, enter, path.dirname(dataDir)))) {
    // Only the shop's own folder is in the way: let this one group pass through it, nobody else.
    await fs.chown(dataDir, uid, account.gid)
    await fs.chmod(dataDir, (mode & 0o7777) | 0o010)
    if (await passes(account, enter, dataDir)) return dataDir
  }
  await sweepThrowAways()
  const home = path.join(SHARED_HOME, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  await makeOpenFolder(SHARED_HOME)
  await makeOpenFolder(home)
  await fs.writeFile(path.join(home, durable ? 'data-of' : 'throw-away'), dataDir)
  if (!(await passes(account, enter, home))) {
    throw new Error(`The user PostgreSQL runs as can enter neither ${dataDir} nor ${home}. ${USE_OWN_SERVER}`)
  }
  return home
}

/** Removes what a first start that was killed has left half done. */
async function clearLeftovers(home: string): Promise<void> {
  for (const name of await fs.readdir(home).catch(() => [])) {
    const pid = Number(/^postgres\.init-(\d+)(\.password)?$/.exec(name)?.[1])
    if (!pid || (pid !== process.pid && isAlive(pid))) continue
    // An initdb that outlived its shop may still be writing there; the next start tries again.
    await fs.rm(path.join(home, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

async function initialise(native: string, home: string, account: Account, durable: boolean): Promise<void> {
  const folder = path.join(home, `postgres.init-${process.pid}`)
  const passwordFile = path.join(folder, PASSWORD_FILE)
  const give = async (file: string) => {
    if (account.uid !== undefined && account.gid !== undefined) await fs.chown(file, account.uid, account.gid)
  }
  const initdb = async (ctype: string) => {
    await fs.rm(folder, { recursive: true, force: true })
    await fs.mkdir(folder, { mode: 0o700 })
    const password = path.join(home, `postgres.init-${process.pid}.password`)
    await fs.writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 })
    try {
      await Promise.all([give(folder), give(password)])
      const args = ['--encoding=UTF8', '--locale=C', `--lc-ctype=${ctype}`, '--locale-provider=builtin']
      args.push('--builtin-locale=C.UTF-8', '--auth=scram-sha-256', '--username=shop', `--pwfile=${password}`)
      if (!durable) args.push('--no-sync')
      await runAs(account, path.join(native, 'bin', 'initdb'), [`--pgdata=${folder}`, ...args])
      // Kept beside the data so that one rename publishes both and a backup holds both.
      await fs.rename(password, passwordFile)
    } finally {
      await fs.rm(password, { force: true })
    }
  }
  try {
    // pg_trgm asks the C library which characters are letters, so LC_CTYPE must know more than ASCII.
    const locales = ['C.UTF-8', 'en_US.UTF-8', 'ru_RU.UTF-8', 'UTF-8']
    for (const locale of locales) {
      try {
        await initdb(locale)
        break
      } catch (error) {
        if (locale !== locales.at(-1) && messageOf(error).includes('invalid locale')) continue
        throw new Error(`PostgreSQL's initdb failed in ${folder}: ${messageOf(error)}. ${USE_OWN_SERVER}`, {
          cause: error,
        })
      }
    }
    await fs.rename(folder, path.join(home, 'postgres')).catch((error: unknown) => {
      // Another start was quicker; its folder is as good as ours.
      if (!(error instanceof Error && 'code' in error && /^(ENOTEMPTY|EEXIST)$/.test(String(error.code)))) {
        throw error
      }
    })
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}

/**
 * Makes sure of everything on disk that a start needs: an account to run as, binaries that account can
 * execute, and an initialised data folder of the right version at (or linked from) `<dataDir>/postgres`.
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
    throw new Error(`The data folder's path has a character among "$\`\\: ${dataDir}`)
  const link = path.join(dataDir, 'postgres')
  const account = await accountFor(link)
  const binaries = await prepareBinaries(dataDir, account)
  const major = await versionOf(binaries, account)
  const entry = await lstatOrNull(link)
  const present = await fs.realpath(link).catch(() => null)
  if (entry && !present && durable) {
    const target = await fs.readlink(link)
    throw new Error(
      `${link} points to ${target}, which is gone. Restore it, or delete the link to start with an empty database.`,
    )
  }
  if (!present) {
    const home = await chooseHome(dataDir, account, durable)
    const target = path.join(home, 'postgres')
    if (home !== dataDir && (await lstatOrNull(target))) {
      // Someone emptied dataDir to begin afresh; set the old data aside instead of bringing it back.
      const aside = `${target}.old-${Date.now()}`
      await fs.rename(target, aside)
      if (durable) log.warn(`${link} was removed; its former data is now in ${aside}`)
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
      `${data} was made by PostgreSQL ${found}, but the installed version is ${major}. Dump it with ${found} and load it into a new folder. ${USE_OWN_SERVER}`,
    )
  }
  if (!(await passes(account, 'test -x "$1" && test -w "$1"', data))) {
    throw new Error(`The user PostgreSQL runs as cannot enter ${data}. Open its parent folders (chmod o+x).`)
  }
  return { data, password: (await read(PASSWORD_FILE)).trim() }
}

/** Deletes the data folder of a stopped server, wherever it really lies. */
export async function removeData(folder: string): Promise<void> {
  const link = path.join(folder, 'postgres')
  const data = await fs.realpath(link).catch(() => null)
  if (data) await fs.rm(data, { recursive: true, force: true })
  await fs.rm(link, { recursive: true, force: true })
  if (data && path.dirname(path.dirname(data)) === SHARED_HOME) {
    await fs.rm(path.dirname(data), { recursive: true, force: true })
  }
}
