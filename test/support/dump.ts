import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { queryAll } from './backups.ts'
import type { TestShop } from './shop.ts'

/** All rows of all tables as text, and the contents of all files, in lower case. */
export async function dumpShop({ deps: { config } }: TestShop): Promise<string> {
  const tables = await queryAll<{ name: string }>(
    config.databaseUrl ?? '',
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const rows: string[] = []
  for (const { name } of tables) {
    const found = await queryAll<{ row: string }>(config.databaseUrl ?? '', `select t::text as row from "${name}" t`)
    rows.push(...found.map(({ row }) => `${name} ${row}`))
  }
  const entries = await readdir(config.dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))
  return [...rows, ...contents].join('\n').toLowerCase()
}

/** The lines of a dump that hold one of these texts. */
export function linesWith(dump: string, texts: string[]): string[] {
  const wanted = texts.map((text) => text.toLowerCase())
  // Bytes are written in hexadecimal.
  const bytes = wanted.map((text) => Buffer.from(text).toString('hex'))
  return dump.split('\n').filter((line) => [...wanted, ...bytes].some((text) => line.includes(text)))
}
