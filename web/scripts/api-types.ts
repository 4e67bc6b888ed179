import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { openShop } from '../../src/shop.ts'

// Builds the API description as a shop serves it, without connecting to a database, and writes its types.
const environment = readConfig({ DATA_DIR: join(tmpdir(), 'shop-description'), JOBS_ENABLED: 'false' })
const config = {
  ...environment,
  databaseUrl: 'postgres://127.0.0.1:9/none',
  jwtSecret: 'ab'.repeat(32),
  supplier: { ...environment.supplier, baseUrl: 'http://127.0.0.1:9' },
}
const log = createLog({ level: 'silent' })
const shop = openShop(config, log)
const app = await buildApp(config, shop.deps, log)
await app.ready()
const BLOB = ts.factory.createTypeReferenceNode('Blob')
const transform = ({ format }: SchemaObject) => (format === 'binary' ? BLOB : undefined)
const types = astToString(await openapiTS(JSON.stringify(app.swagger()), { transform }))
const folder = join(import.meta.dirname, '../generated')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'api.d.ts'), types)
await app.close()
await shop.close()
