import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { Kind, type TSchema } from '@sinclair/typebox'

const isNamed = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && Kind in value && '$id' in value

/** Every schema with an `$id` that this folder exports, by itself or in a table: those that the API description names. */
export const SCHEMAS = await readNamedSchemas()

async function readNamedSchemas(): Promise<TSchema[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  const names = files.toSorted().map((file) => basename(file, '.ts'))
  const modules: object[] = await Promise.all(names.map((name) => import(/* @vite-ignore */ `./${name}.ts`)))
  const exported = modules.flatMap((module) => Object.values(module))
  return exported.flatMap((value) => (isNamed(value) ? value : Object.values(Object(value)))).filter(isNamed)
}
