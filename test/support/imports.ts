import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

type Quasis = { value: { raw: string } }[]

/** `target` is a path from the project's folder where the file is ours, else as it is written. */
export type Import = { target: string; typeOnly: boolean }

/**
 * What a file imports, in any form: statements, re-exports, `import('…')` as an expression and in a type. Braces
 * that hold nothing but types are no import of types: Node loads the file all the same.
 * @throws Error when the text can't be parsed, or computes what it imports
 */
export function importsOf(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const found: Import[] = []
  const note = (source: { type: string; value?: unknown; quasis?: Quasis } | null, kind = 'value') => {
    if (source === null || isOfOwnFolder(source)) return
    if (typeof source.value !== 'string')
      throw new Error(`${path}: an import that only running it could tell`)
    const { value } = source
    found.push({
      target: value.startsWith('.') ? join(dirname(path), value) : value,
      typeOnly: kind === 'type',
    })
  }
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => note(source, importKind),
    ExportNamedDeclaration: ({ source, exportKind }) => note(source, exportKind),
    ExportAllDeclaration: ({ source, exportKind }) => note(source, exportKind),
    ImportExpression: ({ source }) => note(source),
    TSImportType: ({ source }) => note(source, 'type'),
  }).visit(program)
  return found
}

/** `./${name}.ts`: crosses no border between folders, so that no arrow can be broken. */
function isOfOwnFolder(source: { quasis?: Quasis }): boolean {
  const [start, ...others] = (source.quasis ?? []).map(({ value }) => value.raw)
  return start === './' && others.join('') === '.ts'
}

/**
 * Circles of imports, as `a → b → a`: enough of them that each file that lies on one is in one of the answer.
 * @param graph which files each file imports; files that are only imported may be missing
 */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const listed = new Set<string>()
  for (const start of graph.keys()) {
    const circle = listed.has(start) ? null : shortestWayBack(graph, start)
    if (circle === null) continue
    for (const file of circle) listed.add(file)
    circles.push(circle.join(' → '))
  }
  return circles
}

function shortestWayBack(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const ways: string[][] = [[start]]
  const reached = new Set<string>()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start]
      if (reached.has(next)) continue
      reached.add(next)
      ways.push([...way, next])
    }
  }
  return null
}
