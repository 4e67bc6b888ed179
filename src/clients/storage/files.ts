import { randomUUID } from 'node:crypto'
import { mkdir, open, opendir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { nullIfMissing } from '../../errors.ts'
import { checkKey, type Storage, throwDown } from './storage.ts'

/** On the same file system as the objects, so that a rename is atomic; no key begins with a dot. */
const TEMPORARY = '.half-written'
/** Older temporary files were left by a crash. */
const MAX_TEMPORARY_AGE_MS = 3_600_000

/** Stores objects as files. Each is written to a temporary file, flushed and renamed, so that it is never partial. */
export function createFileStorage(folder: string): Storage {
  const temporaries = join(folder, TEMPORARY)
  const pathOf = (key: string) => join(folder, ...checkKey(key).split('/'))

  async function* walk(path: string): AsyncGenerator<string> {
    const entries = await opendir(path).catch(nullIfMissing)
    if (!entries) return
    for await (const entry of entries) {
      if (entry.isDirectory() && entry.name !== TEMPORARY) yield* walk(join(path, entry.name))
      else if (entry.isFile()) yield join(path, entry.name)
    }
  }

  return {
    async put(key, body) {
      const path = pathOf(key)
      const temporary = join(temporaries, randomUUID())
      const move = async () => {
        await mkdir(dirname(path), { recursive: true })
        await rename(temporary, path)
      }
      try {
        await mkdir(temporaries, { recursive: true })
        await writeFile(temporary, body, { flag: 'wx', flush: true })
        // The deletion of another object may remove the empty folder in between.
        await move().catch(move)
        await flushFolder(dirname(path))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throwDown(error)
      }
    },
    async open(key, range) {
      const file = await open(pathOf(key)).catch(nullIfMissing).catch(throwDown)
      return file?.createReadStream(range) ?? null
    },
    async delete(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true }).catch(nullIfMissing).catch(throwDown)
        // Refused, as it should be, while the folder holds other objects.
        await rmdir(dirname(path)).catch(() => {})
      }
    },
    async *list(prefix) {
      const within = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      try {
        for await (const path of walk(join(folder, within))) {
          const key = relative(folder, path)
          const found = key.startsWith(prefix) ? await stat(path).catch(nullIfMissing) : null
          if (found) yield { key, modifiedAt: found.mtime }
        }
      } catch (error) {
        throwDown(error)
      }
    },
    async prepare() {
      await mkdir(temporaries, { recursive: true })
      for (const name of await readdir(temporaries)) {
        const path = join(temporaries, name)
        const found = await stat(path).catch(nullIfMissing)
        if (found && found.mtimeMs < Date.now() - MAX_TEMPORARY_AGE_MS) await rm(path, { force: true })
      }
    },
    close: () => {},
  }
}

/** Makes a rename in the folder survive a power failure. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path).catch(nullIfMissing)
  try {
    await folder?.sync()
  } finally {
    await folder?.close()
  }
}
