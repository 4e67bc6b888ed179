import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ALERT_NAMES } from '../src/rules/operations/alerts.ts'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

test('docs/alerts.md says of each alert what it means, what to look at and what to do', async () => {
  const sections = (await read('docs/alerts.md')).split(/^## /m).slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual([...ALERT_NAMES])
  for (const section of sections) expect(section).toMatch(/\*\*Means\*\*.*\*\*Look at\*\*.*\*\*Do\*\*/s)
})
