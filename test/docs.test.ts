import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ALERT_NAMES } from '../src/rules/operations/alerts.ts'
import { WEBHOOK_EVENTS } from '../src/rules/webhooks.ts'

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

test('docs/alerts.md has a section for each alert, which its mail names', () => {
  const sections = [...read('docs/alerts.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(sections).toEqual([...ALERT_NAMES])
})

test('docs/events.md lists the events of webhooks', () => {
  const [, table = ''] = read('docs/events.md').split(/^## Webhooks$/m)
  const listed = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  )
  expect(listed).toEqual(expect.arrayContaining([...WEBHOOK_EVENTS]))
})
