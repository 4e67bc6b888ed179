import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

type Quasis = { value: { raw: string } }[]

/** `target` is a path relative to the project for own files, else the specifier. */
export type Import = { target: string; typeOnly: boolean }

/**
 * Lists a file's imports: statements, re-exports, and `import('…')` in expressions and types. An import with only inline
 * `type` names counts as one of values, because Node loads the file.
 * @throws Error if the text can't be parsed or an import's specifier is computed
 */
export function importsOf(path: string, text: string): Import[] {
  const key = `${path}\n${text}`
  const imports = known.get(key) ?? parseImports(path, text)
  known.set(key, imports)
  return imports
}

/** Several tests look at the same files. */
const known = new Map<string, Import[]>()

function parseImports(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const found: Import[] = []
  const note = (source: { type: string; value?: unknown; quasis?: Quasis } | null, kind = 'value') => {
    if (source === null || isOfOwnFolder(source)) return
    if (typeof source.value !== 'string') throw new Error(`${path}: an import with a computed path`)
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

/** `./${name}.ts` stays within a folder, so that it can't break a layer rule. */
function isOfOwnFolder(source: { quasis?: Quasis }): boolean {
  const [start, ...others] = (source.quasis ?? []).map(({ value }) => value.raw)
  return start === './' && others.join('') === '.ts'
}

/**
 * Finds import cycles, as `a → b → a`, at least one for each file that is part of any.
 * @param graph imported files by file; files without imports may be missing
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
