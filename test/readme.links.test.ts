import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PAGES = globSync(['*.md', 'docs/*.md'], { cwd: ROOT })

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

/** The name by which GitHub links to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function isThere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return false
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
  return anchor === undefined || headings.includes(anchor)
}

test.each(PAGES)('%s links to files and headings that exist', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target)
  expect(targets.filter((target) => !isThere(page, target))).toEqual([])
})

test('the README names folders and files that exist', () => {
  const [, table = ''] = /^\| folder \| contents \|\n\| --- \| --- \|\n(.*?)\n\n/ms.exec(read('README.md')) ?? []
  const folders = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
  expect(folders.length).toBeGreaterThan(10)
  expect(folders.filter((folder) => !existsSync(join(ROOT, folder.replace('/<domain>', ''))))).toEqual([])
})
