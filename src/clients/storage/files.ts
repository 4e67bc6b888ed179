import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { bodyStream, checkKey, putFailure, type Storage, storageDown } from './storage.ts'

/** Beside the objects, so that a rename is atomic; no key begins with a dot. */
const HALF_WRITTEN = '.half-written'
const ABANDONED_MS = 3_600_000

/**
 * Objects as files below a folder. A new one is written beside it, flushed to the disk and renamed, so that neither a
 * crash nor a reader ever sees a half of it.
 */
export function createFileStorage(folder: string): Storage {
  const temporaries = join(folder, HALF_WRITTEN)
  const pathOf = (key: string) => join(folder, ...checkKey(key).split('/'))

  async function put(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    await mkdir(temporaries, { recursive: true })
    const temporary = join(temporaries, randomUUID())
    try {
      const file = await open(temporary, 'wx')
      try {
        await write(file)
        await file.sync()
      } finally {
        await file.close()
      }
      await moveInto(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** Folders that a delete has emptied go with it. */
  async function removeFolders(path: string): Promise<void> {
    for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
      if (
        !(await rmdir(parent).then(
          () => true,
          () => false,
        ))
      )
        return
    }
  }

  async function* walk(path: string): AsyncGenerator<string> {
    const entries = await opendir(path).catch(unlessMissing)
    if (!entries) return
    for await (const entry of entries) {
      if (entry.isDirectory() && entry.name !== HALF_WRITTEN) yield* walk(join(path, entry.name))
      else if (entry.isFile()) yield join(path, entry.name)
    }
  }

  return {
    async put(key, body, { size }) {
      const path = pathOf(key)
      try {
        await put(path, (file) => file.writeFile(Buffer.isBuffer(body) ? body : bodyStream(body, size)))
      } catch (error) {
        throw putFailure(error)
      } finally {
        if (!Buffer.isBuffer(body)) body.destroy()
      }
    },
    async open(key, range) {
      const file = await open(pathOf(key)).catch(unlessMissing).catch(asDown)
      if (!file) return null
      try {
        const found = await file.stat()
        if (found.isFile()) return { body: file.createReadStream(range), size: found.size }
      } catch (error) {
        await file.close()
        throw storageDown(error)
      }
      await file.close()
      return null
    },
    async stat(key) {
      const found = await stat(pathOf(key)).catch(unlessMissing).catch(asDown)
      return found?.isFile() ? { size: found.size, modifiedAt: found.mtime } : null
    },
    async delete(keys) {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true }).catch(unlessMissing).catch(asDown)
        await removeFolders(path)
      }
    },
    async *list(prefix) {
      const within = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      try {
        for await (const path of walk(join(folder, within))) {
          const key = relative(folder, path)
          const found = key.startsWith(prefix) ? await stat(path).catch(unlessMissing) : null
          if (found) yield { key, size: found.size, modifiedAt: found.mtime }
        }
      } catch (error) {
        throw storageDown(error)
      }
    },
    async prepare() {
      await mkdir(temporaries, { recursive: true })
      for (const name of await readdir(temporaries)) {
        const path = join(temporaries, name)
        const found = await stat(path).catch(unlessMissing)
        if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true })
      }
    },
    async check() {
      await mkdir(temporaries, { recursive: true })
      await access(temporaries, constants.W_OK | constants.X_OK)
    },
    close: () => {},
  }
}

async function moveInto(temporary: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true })
      await rename(temporary, path)
      return await flushFolder(dirname(path))
    } catch (error) {
      // A delete has just taken the emptied folder away.
      if (!isMissing(error) || attempt === 10) throw error
    }
  }
}

/** The name survives a power cut too. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path).catch(unlessMissing)
  try {
    await folder?.sync()
  } finally {
    await folder?.close()
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // ENOTDIR: a part of the key is an object.
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

function asDown(error: unknown): never {
  throw storageDown(error)
}
