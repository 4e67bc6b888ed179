import { expect, test } from 'vitest'
import { isBlankOrLink } from '../../src/rules/content.ts'

test.each([
  ...['/', '/sale', '/sale?from=a//b#top', '/распродажа 1', '/a:b'],
  ...['http://shop.example', 'HTTPS://shop.example/a?b', 'https://[::1]:8080/', 'https://магазин.рф/'],
])('accepts %j', (link) => {
  expect(isBlankOrLink(` ${link}\n`)).toBe(true)
})

test.each([
  ...[
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
  ],
  ...[
    'http:evil.example',
    'http:/evil.example',
    'http:///evil.example',
    'https:\\\\evil.example',
    'ht\ttp://evil.example',
  ],
  ...['javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'mailto:a@b.example', 'ftp://host/', 'sale'],
  ...['https://user:secret@host/', 'http://user@host'],
  ...['https://', 'https://a b/', 'https://host:99999/', 'http://[::1/', '/a\\b', '/a\u0000b', '/a\u0085b'],
])('refuses %j', (link) => {
  expect(isBlankOrLink(link)).toBe(false)
})

test('accepts what is blank', () => {
  for (const blank of ['', ' \t']) expect(isBlankOrLink(blank)).toBe(true)
})
