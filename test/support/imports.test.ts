import { expect, test } from 'vitest'
import { circlesIn, importsOf } from './imports.ts'

const seen = (text: string) =>
  importsOf('src/x/y.ts', text).map(({ target, typeOnly }) => (typeOnly ? `type ${target}` : target))

test.each([
  ["import { a } from './a.ts'", 'src/x/a.ts'],
  ["import a, { type B } from '../a.ts'", 'src/a.ts'],
  ["import * as a from 'a'", 'a'],
  ["import './a.ts'", 'src/x/a.ts'],
  ["export { a } from './a.ts'", 'src/x/a.ts'],
  ["export * from './a.ts'", 'src/x/a.ts'],
  ["export * as a from '../../db/a.ts'", 'db/a.ts'],
  ["const a = await import('./a.ts')", 'src/x/a.ts'],
  ["import type { A } from './a.ts'", 'type src/x/a.ts'],
  ["import type A from './a.ts'", 'type src/x/a.ts'],
  ["export type { A } from './a.ts'", 'type src/x/a.ts'],
  ["export type * from './a.ts'", 'type src/x/a.ts'],
  ["type A = import('./a.ts').A", 'type src/x/a.ts'],
  ["function f(a: typeof import('./a.ts')) {}", 'type src/x/a.ts'],
  // Node removes the types and still loads the file.
  ["import { type A } from './a.ts'", 'src/x/a.ts'],
  ["import {\n  type A,\n  type B,\n} from './a.ts'", 'src/x/a.ts'],
])('%s is read', (text, expected) => {
  expect(seen(text)).toEqual([expected])
})

test('ignores text that only looks like an import', () => {
  const text = [
    "// import { a } from './a.ts'",
    "const b = `\nimport { b } from './b.ts'\n`",
    'export { b }',
    "const from = './c.ts'",
  ].join('\n')
  expect(seen(text)).toEqual([])
})

test('treats a computed import within a folder as local', () => {
  expect(seen(`import(\`./\${name}.ts\`)`)).toEqual([])
})

test('rejects computed imports and text that is not TypeScript', () => {
  expect(() => seen('import(name)')).toThrow('src/x/y.ts')
  expect(() => seen(`import(\`../\${name}\`)`)).toThrow('src/x/y.ts')
  expect(() => seen('import { from')).toThrow('src/x/y.ts')
})

/** Files of one folder, by name. */
function circlesOf(files: Record<string, string>): string[] {
  const edges = Object.entries(files).map(([path, text]): [string, string[]] => [
    path,
    importsOf(path, text).map(({ target }) => target),
  ])
  return circlesIn(new Map(edges))
}

test('reports a cycle as its path, types included', () => {
  expect(
    circlesOf({
      'start.ts': "import { a } from './a.ts'",
      'a.ts': "import { b } from './b.ts'\nimport 'node:fs'",
      'b.ts': "import { c } from './c.ts'\nexport * from './leaf.ts'",
      'c.ts': "import type { A } from './a.ts'",
      'leaf.ts': '',
    }),
  ).toEqual(['a.ts → b.ts → c.ts → a.ts'])
  expect(circlesOf({ 'a.ts': "export type A = import('./a.ts').B" })).toEqual(['a.ts → a.ts'])
})

test('lists every file of a cycle by the shortest path, but no diamonds', () => {
  const edges = (text: string): [string, string[]][] =>
    text.split(' ').map((edge) => {
      const [from = '', to = ''] = edge.split(':')
      return [from, to.split('')]
    })
  expect(circlesIn(new Map(edges('a:bc b:d c:d d:')))).toEqual([])
  expect(circlesIn(new Map(edges('a:b b:cd c:a d:e e:d')))).toEqual(['a → b → c → a', 'd → e → d'])
  expect(circlesIn(new Map(edges('a:b b:ca c:a')))).toEqual(['a → b → a', 'c → a → b → c'])
})
