import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { Kind, type TSchema } from '@sinclair/typebox'

const isNamed = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && Kind in value && '$id' in value

/** Every exported schema of this folder with an `$id`: those that the API description names. */
export const SCHEMAS = await readNamedSchemas()

async function readNamedSchemas(): Promise<TSchema[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  const names = files.toSorted().map((file) => basename(file, '.ts'))
  const modules: object[] = await Promise.all(names.map((name) => import(/* @vite-ignore */ `./${name}.ts`)))
  return modules.flatMap((module) => Object.values(module).filter(isNamed))
}
