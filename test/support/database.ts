import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A fresh database with the whole schema, for one test file. */
export async function createTestDatabase({
  migrated = true,
} = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(`create database ${name} template ${migrated ? 'template_shop' : 'template0'}`)
  const url = new URL(inject('databaseServer'))
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}

async function onServer(statement: string): Promise<void> {
  const url = new URL(inject('databaseServer'))
  url.pathname = '/postgres'
  const client = new pg.Client(url.href)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
