import { migrate } from '../../db/migrate.ts'

// A process that migrates the database of its first argument and tells its parent what it applied.
process.send?.(await migrate(process.argv[2] ?? ''))
process.disconnect?.()
