import { expect, test } from 'vitest'
import { readRobots } from '../../../src/rules/scraping/robots.ts'

const AGENT = 'TestFetcher/1.0'
const allows = (text: string, path: string) => readRobots(text, AGENT).allows(new URL(path, 'http://shop.example'))

test.each([
  ['the longest rule counts', 'Disallow: /p\nAllow: /p/open', ['/q', '/p/open/1'], ['/p', '/p/1']],
  ['of equal rules the one that allows', 'Disallow: /p\nAllow: /p', ['/p'], []],
  ['an empty rule says nothing', 'Disallow:', ['/'], []],
  [
    'wildcards',
    'Disallow: /*/private*.html',
    ['/private.html', '/a/private'],
    ['/a/private/b.html', '/a/b/private.htmlx'],
  ],
  ['the end', 'Disallow: /*.php$\nDisallow: /exact$', ['/a.php?x', '/exact/'], ['/a.php', '/exact']],
  ['queries', 'Disallow: /*?sort=', ['/p'], ['/p?sort=a']],
  [
    'encoded characters',
    'Disallow: /каталог\nDisallow: /a%2fb',
    ['/a/b'],
    ['/%d0%ba%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3/1', '/a%2Fb'],
  ],
  ['comments, spaces and other lines', ' Disallow : /p # not /\nSitemap: /s\nnonsense', ['/q'], ['/p']],
])('%s', (_, rules, allowed, forbidden) => {
  for (const lineBreak of ['\n', '\r\n', '\r']) {
    const text = `User-agent: *\n${rules}`.replaceAll('\n', lineBreak)
    expect(allowed.filter((path) => !allows(text, path))).toEqual([])
    expect(forbidden.filter((path) => allows(text, path))).toEqual([])
  }
})

test.each([
  ['\uFEFFUser-Agent: testfetcher/2.1\nDisallow: /own\n\nUser-agent: *\nDisallow: /'],
  ['User-agent: *\nDisallow: /\nUser-agent: other\nUser-agent: TESTFETCHER\nDisallow: /own'],
  ['User-agent: *\nSitemap: /s\nUser-agent: TestFetcher\nDisallow: /own'],
  ['User-agent: TestFetcher\nAllow: /open\nUser-agent: x\nDisallow: /\nUser-agent: TestFetcher\nDisallow: /own'],
])('joins the groups that name the agent: %j', (text) => {
  expect([allows(text, '/open'), allows(text, '/own')]).toEqual([true, false])
})

test('reads the delay between requests', () => {
  expect(readRobots('User-agent: *\nCrawl-delay: 2.5', AGENT).delaySeconds).toBe(2.5)
  expect(readRobots('User-agent: other\nCrawl-delay: 2.5', AGENT).delaySeconds).toBeNull()
})

test('reads the first 500 KB, and no rule that is cut off there', () => {
  const filler = `#${'x'.repeat(98)}\n`.repeat(5119)
  const text = `User-agent: *\nDisallow: /first\n${filler}Disallow: /cut/${'x'.repeat(1000)}\nDisallow: /late`
  expect(['/first', '/cut', '/late', '/'].map((path) => allows(text, path))).toEqual([false, true, true, true])
})

/** The product of agents and rules would take gigabytes. */
test('reads any number of agents and rules', () => {
  const agents = Array.from({ length: 20_000 }, (_, n) => `User-agent: a${n}\n`).join('')
  expect(allows(`${agents}User-agent: *\n${'Allow: /\n'.repeat(15_000)}Disallow: /p`, '/p')).toBe(false)
})
