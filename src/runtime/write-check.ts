import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const WRITE_CHECK_FILE = '.write-check'
/** A whole block: fewer bytes may be stored without allocating one. */
const BYTES = Buffer.alloc(4096, 'x')
const INTERVAL_MS = 5000

/**
 * Creates a check that writes and deletes a small file, since permissions don't reveal a full disk. Calls within five
 * seconds share its outcome. It rejects with the file system's error.
 */
export function createWriteCheck(folder: string): () => Promise<void> {
  let last: Promise<void> | undefined
  return () => {
    last ??= writeAndDelete(join(folder, WRITE_CHECK_FILE)).finally(() => {
      setTimeout(() => {
        last = undefined
      }, INTERVAL_MS).unref()
    })
    return last
  }
}

async function writeAndDelete(path: string): Promise<void> {
  try {
    await writeFile(path, BYTES, { flush: true })
  } finally {
    await rm(path, { force: true })
  }
}
