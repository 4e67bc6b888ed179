import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { createFileStorage } from './files.ts'
import { createS3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

/** The storage that the environment configures: S3, or else files in DATA_DIR. */
export function createStorage({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Storage {
  return s3 ? createS3Storage(s3) : createFileStorage(join(dataDir, 'objects'))
}
