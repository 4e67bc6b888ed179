import { migrate } from '../../db/migrate.ts'

// Migrates the database of its first argument and sends the applied migrations to its parent.
process.send?.(await migrate(process.argv[2] ?? ''))
process.disconnect?.()
