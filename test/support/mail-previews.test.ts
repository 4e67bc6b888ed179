import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mailsIn } from './mail-previews.ts'

const ROOT = join(import.meta.dirname, '../..')
const TEMPLATES = join(ROOT, 'src/rules/mail')

test('every function that renders a mail has a preview', async () => {
  const modules = await Promise.all((await readdir(TEMPLATES)).map((file) => import(join(TEMPLATES, file))))
  const functions = modules.flatMap((module) => Object.keys(module)).filter((name) => name.endsWith('Mail'))
  const previewed = Object.keys(mailsIn('en')).map((name) => `${name.split('-')[0]}Mail`)
  expect(new Set(previewed)).toEqual(new Set(functions.filter((name) => name !== 'renderMail')))
})

test('npm run mails writes each of them in both languages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mails-'))
  try {
    const said = execFileSync('npm', ['run', '-s', 'mails', '--', folder], { cwd: ROOT, encoding: 'utf8' })
    expect(said).toBe(`Every mail is in ${folder}, in ru and en\n`)
    const names = Object.keys(mailsIn('en')).flatMap((name) => [`${name}.html`, `${name}.txt`])
    for (const language of ['ru', 'en']) expect(await readdir(join(folder, language))).toEqual(names.toSorted())
    const text = await readFile(join(folder, 'ru/newOrder.txt'), 'utf8')
    expect(text).toMatch(/^Новый заказ № 000012\n\nНовый заказ № 000012\n\nПокупатель: Анна Петрова/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
