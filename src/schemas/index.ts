import { readdirSync } from 'node:fs'
import { Kind, type TSchema } from '@sinclair/typebox'

const isNamed = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && Kind in value && '$id' in value

/** Every exported schema of this folder with an `$id`: those that the API description names. */
export const SCHEMAS = await readNamedSchemas()

async function readNamedSchemas(): Promise<TSchema[]> {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && name !== 'index.ts')
  const modules: object[] = await Promise.all(files.toSorted().map((name) => import(`./${name}`)))
  return modules.flatMap((module) => Object.values(module).filter(isNamed))
}
