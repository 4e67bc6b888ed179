import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { createFileStorage } from './files.ts'
import { createS3Storage } from './s3.ts'

const CHECK_KEY = 'write-check'
/** A whole block: fewer bytes may be stored without allocating one. */
const CHECK_BYTES = Buffer.alloc(4096, 'x')
const CHECK_INTERVAL_MS = 5000

/** The storage that the environment configures: S3, or else files in DATA_DIR. */
export function createStorage({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>) {
  const storage = s3 ? createS3Storage(s3) : createFileStorage(join(dataDir, 'objects'))
  let lastCheck = { startedAt: Number.NEGATIVE_INFINITY, outcome: Promise.resolve() }
  return {
    ...storage,
    /**
     * Writes an object, as permissions don't reveal a full disk. It stays, so that no list names what is gone. Calls
     * within five seconds share the outcome.
     * @throws the cause
     */
    check(): Promise<void> {
      const startedAt = performance.now()
      if (startedAt - lastCheck.startedAt >= CHECK_INTERVAL_MS) {
        const put = storage.put(CHECK_KEY, CHECK_BYTES, { contentType: 'application/octet-stream' })
        const outcome = put.catch((error: unknown) => {
          throw error instanceof AppError ? error.cause : error
        })
        lastCheck = { startedAt, outcome }
      }
      return lastCheck.outcome
    },
  }
}
