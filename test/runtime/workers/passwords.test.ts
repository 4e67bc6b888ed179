import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'
import { afterEach, expect, test } from 'vitest'
import { createPasswords, type Passwords } from '../../../src/runtime/workers/passwords.ts'

let passwords: Passwords

afterEach(() => passwords.close())

test('hashes and compares, never a password longer than 72 bytes', async () => {
  passwords = createPasswords()
  const hash = await passwords.hash('пароль с пробелами')
  expect(hash).toMatch(/^\$2b\$10\$.{53}$/)
  expect(await passwords.match('пароль с пробелами', hash)).toBe(true)
  expect(await passwords.match('пароль с пробелам', hash)).toBe(false)
  expect(await passwords.match('anything', undefined)).toBe(false)
  const longest = await passwords.hash('p'.repeat(72))
  expect(await passwords.match('p'.repeat(72), longest)).toBe(true)
  expect(await passwords.match('p'.repeat(73), longest)).toBe(false)
})

test('takes a password in either Unicode form, also by a hash of what was typed', async () => {
  passwords = createPasswords({ cost: 4 })
  const [composed, decomposed] = ['Мой пароль é', 'Мой пароль é'.normalize('NFD')]
  expect(decomposed).not.toBe(composed)
  for (const registered of [composed, decomposed]) {
    const hash = await passwords.hash(registered)
    for (const typed of [composed, decomposed]) expect(await passwords.match(typed, hash)).toBe(true)
    expect(await passwords.match('Мои пароль e', hash)).toBe(false)
    expect(await passwords.match(registered.normalize('NFKC').replace('М', 'M'), hash)).toBe(false)
  }
  const before = hashSync(decomposed, 4)
  expect(await passwords.match(decomposed, before)).toBe(true)
  // 72 bytes, of which another form has more.
  const longest = 'й'.repeat(36)
  const hash = await passwords.hash(longest.normalize('NFD'))
  expect(await passwords.match(longest, hash)).toBe(true)
  expect(await passwords.match(longest.normalize('NFD'), hash)).toBe(true)
})

test('ends idle threads', async () => {
  const began = once(process, 'worker')
  passwords = createPasswords({ idleTimeoutMs: 50, cost: 4 })
  const hashed = passwords.hash('some password')
  const [thread] = await began
  expect(thread).toBeInstanceOf(Worker)
  const ended = once(thread, 'exit')
  await hashed
  await ended
  expect(await passwords.hash('some password')).toMatch(/^\$2b\$/)
})

test('responds 503 while the queue is full', async () => {
  passwords = createPasswords({ maxWaiting: 3, cost: 4 })
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => passwords.hash('some password')))
  const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(rejected.length).toBeGreaterThan(0)
  expect(rejected.length).toBeLessThan(6)
  for (const { reason } of rejected) {
    expect(reason).toMatchObject({ status: 503, code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  }
  expect(await passwords.hash('some password')).toMatch(/^\$2b\$/)
})
