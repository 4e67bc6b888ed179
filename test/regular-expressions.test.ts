import { glob, readFile } from 'node:fs/promises'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'

/** Long enough that a quadratic search takes hundreds of milliseconds, and a linear one about one. */
const LENGTH = 25_000
const MAX_MS = 100

type Pattern = { file: string; expression: RegExp }

/** The regular expressions of the product that repeat something. */
async function readPatterns(): Promise<Pattern[]> {
  const found = new Map<string, Pattern>()
  for await (const file of glob('{src,plugins,routes,db,jobs}/**/*.ts')) {
    const source = await readFile(file, 'utf8')
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return
        const { pattern, flags } = node.regex
        if (/[*+]|\{\d+,/.test(pattern)) found.set(pattern, { file, expression: new RegExp(pattern, flags) })
      },
    }).visit(parseSync(file, source).program)
  }
  return [...found.values()]
}

/** What the expression names, alone and in pairs, repeated after its beginnings and before something unexpected. */
function hostileTexts({ source }: RegExp): string[] {
  const words = source.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []
  const pairs = words.map((word, at) => word + (words[at + 1] ?? ''))
  const starts = new Set(['', '<a', '<a id', ...pairs.filter((pair) => pair.length > 2).slice(0, 5)])
  const pumps = new Set([...words, ...pairs, ' ', '\t', 'a', '0', 'я', '.', 'a ', 'aa0'])
  return [...starts].flatMap((start) => [...pumps].map((pump) => `${start}${pump.repeat(LENGTH / pump.length)}\u0000`))
}

test('every regular expression takes linear time on hostile text', async () => {
  const patterns = await readPatterns()
  expect(patterns.length).toBeGreaterThan(60)
  const slow: string[] = []
  for (const { file, expression } of patterns) {
    const texts = hostileTexts(expression)
    for (const text of texts) {
      expression.lastIndex = 0
      const { user } = process.threadCpuUsage()
      expression.test(text)
      const ms = (process.threadCpuUsage().user - user) / 1000
      if (ms > MAX_MS) {
        slow.push(`${file}: ${expression} took ${Math.round(ms)} ms of ${JSON.stringify(text.slice(0, 20))}`)
        break
      }
    }
  }
  expect(slow).toEqual([])
})
