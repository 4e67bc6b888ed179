import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/errors.ts'
import { readCategory, readOffer } from '../../../src/rules/pipeline/offers.ts'
import { createSupplierFeedDecoder } from '../../../src/rules/pipeline/reader.ts'
import { createSupplierFeedSplitter, idOf, MAX_LENGTH, type Piece } from '../../../src/rules/pipeline/splitter.ts'

/** Reads a feed in chunks of these lengths, repeated. */
function read(bytes: Uint8Array, lengths = [64 * 1024], contentType: string | null = null) {
  const decode = createSupplierFeedDecoder(contentType)
  const splitter = createSupplierFeedSplitter()
  const pieces: Piece[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    pieces.push(...splitter.write(decode(bytes.subarray(at, end))))
    at = end
  }
  pieces.push(...splitter.write(decode(null)))
  splitter.end()
  return pieces.map((piece) => {
    if (piece.fault !== null) return { id: idOf(piece.xml), skipped: piece.fault }
    try {
      return piece.element === 'offer' ? readOffer(piece.xml) : readCategory(piece.xml)
    } catch (error) {
      return { id: idOf(piece.xml), skipped: messageOf(error) }
    }
  })
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const readText = (text: string, lengths?: number[]) => read(utf8(text), lengths)
const feed = (offers: string) => `<yml_catalog><shop><offers>${offers}</offers></shop></yml_catalog>`

const ODD = `<?xml version='1.0'?><!DOCTYPE yml_catalog SYSTEM "shops.dtd" [ <!-- ' > --> <!ELEMENT a (b)> ]>
<!-- <offer id="0"> --><yml_catalog date='1>0'><shop><name><![CDATA[<offer id="x"></offer>]]></name><categories>
<category id="1">Все &amp; всё</category><category id='2' parentId="1"><![CDATA[Под <категория>]]></category>
<category id="3"/><category>no id</category><category id="4" parentId="4">own</category></categories><offers><?php echo '<offer>' ?>
<offer id="1" type="a > b"><name>Дрель 😀 &quot;М&quot; &#1055;&nbsp;&mdash; &nobody; a &amp;lt; b</name><name>second</name>
<price>1 200</price><quantity>&gt;50</quantity><categoryId></categoryId><!-- </offer> -->
<description><![CDATA[</offer><offer id="z">]]></description>
<param name="Вес &gt; 1" unit="кг">3,5</param><param name="">x</param><param name="empty"/></offer>
<offer id='2'><name>No price</name><picture> https://a.example/1.jpg </picture><picture>/relative.jpg</picture><picture>https://a.example:port/2.jpg</picture>
<picture>https://a.example/1.jpg</picture><url>javascript:alert(1)</url></offer>
<offer><name>no id</name></offer><offer id="4"><name>open</nam></offer><offer id="5" x><name>y</name></offer>
<offer id="6"><name>unclosed</name><offer id="7"><name>next</name></offer><offer id="8"/>
<offer id="9"><name>a < b</name></offer><offer id="10"><param name="a<b">c</param></offer>
<offer id="11"><name>last, unclosed</name></offers></shop></yml_catalog><!-- end -->
`

test('reads, repairs or skips real and odd shapes one by one', () => {
  const found = readText(ODD)
  expect(found).toMatchObject([
    { id: '1', name: 'Все & всё', parentId: null },
    { id: '2', name: 'Под <категория>', parentId: '1' },
    { id: '3', skipped: 'the category has no name' },
    { id: null, skipped: 'the category has no id' },
    { id: '4', parentId: null },
    {
      id: '1',
      name: 'Дрель 😀 "М" П — &nobody; a < b',
      price: '1 200',
      categoryId: null,
      pageUrl: null,
      params: [{ name: 'Вес > 1', value: '3,5 кг' }],
    },
    { id: '2', price: null, pictures: ['https://a.example/1.jpg'], pageUrl: null },
    { id: null, skipped: 'it has no id' },
    { id: '4', skipped: expect.stringContaining('nam') },
    { id: '5', skipped: expect.stringContaining('malformed') },
    { id: '6', skipped: 'the offer is not closed' },
    { id: '7', name: 'next' },
    { id: '8', name: '' },
    { id: '9', skipped: expect.stringContaining('malformed') },
    { id: '10', params: [{ name: 'a<b', value: 'c' }] },
    { id: '11', skipped: 'the offer is not closed' },
  ])
})

test('reads the same offers however the bytes are chunked', () => {
  // The decoder holds the first kilobyte back.
  const bytes = utf8(ODD.replace('?>', `?><!-- ${' '.repeat(1024)} -->`))
  const whole = read(bytes)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }), (lengths) => {
      expect(read(bytes, lengths)).toEqual(whole)
    }),
    { numRuns: 200 },
  )
  expect(read(bytes, [1])).toEqual(whole)
})

test('rejects a megabyte of comments that are not closed in no time', () => {
  const before = performance.now()
  expect(() => readText('<!--'.repeat(100_000))).toThrow('The feed is empty')
  expect(() => readText(`<![CDATA[${'<!--'.repeat(100_000)}]]><offer/>`)).toThrow('The feed is not XML')
  expect(performance.now() - before).toBeLessThan(5000)
})

test('reads back any offer, in any chunks', () => {
  // An offer with U+FFFD, which replaces invalid bytes, is skipped.
  const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.replace(/[\p{Cc}\uFFFD]/gu, ' '))
  const escaped = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
  const cdata = (value: string) => `<![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
  const folded = (value: string) =>
    value
      .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
      .normalize('NFC')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text, fc.boolean()), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
      (values, lengths) => {
        const offers = values.map(
          ([name, param, marked], index) =>
            `<offer id="${index}"><name>${marked ? cdata(name) : escaped(name)}</name><param name="${escaped(param)}">x</param></offer>`,
        )
        const expected = values.map(([name, param], index) => ({
          id: `${index}`,
          name: folded(name),
          params: folded(param) === '' ? [] : [{ name: folded(param), value: 'x' }],
        }))
        expect(readText(feed(offers.join('\n')), lengths)).toMatchObject(expected)
      },
    ),
    { numRuns: 150 },
  )
})

test('reads, skips or rejects any mangled feed, independent of the chunks', () => {
  const bytes = utf8(ODD)
  const mangle = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.constantFrom(...utf8('<>"\'!/&[]-? \0'))), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(mangle, fc.integer({ min: 1, max: 500 }), (changes, length) => {
      const mangled = bytes.slice()
      for (const [at, byte] of changes) mangled[at] = byte
      const outcome = (lengths: number[]) => {
        try {
          return read(mangled, lengths)
        } catch (error) {
          if (!(error instanceof Error && error.name === 'SupplierFeedError')) throw error
          return 'rejected'
        }
      }
      expect(outcome([length])).toEqual(outcome([1_000_000]))
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['', /is empty/],
  ['not found', /is not XML/],
  ['<html><body>Sorry</body></html>', /starts with <html>/],
  ['<price><items><item id="1"/></items></price>', /starts with <price>, not with <yml_catalog>/],
  ['<shop><offers><offer id="1"/></offers></shop>', /starts with <shop>/],
  [feed('<offer id="1"/>').replace('</yml_catalog>', ''), /cut off/],
  [feed('<offer id="17"><name>x').split('</offers>')[0] ?? '', /cut off within offer 17/],
  [feed('<offer id="1"><description><![CDATA[x</description></offer>'), /cut off within offer 1$/],
])('rejects %j', (text, reason) => {
  expect(() => readText(text)).toThrow(reason)
  expect(() => readText(text, [1])).toThrow(reason)
})

test.each([
  '<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">',
  '<!ENTITY xxe SYSTEM "file:///etc/passwd">',
  '<!ENTITY % dtd SYSTEM "http://127.0.0.1:9/evil.dtd"> %dtd;',
  '%outside;',
])('rejects a DOCTYPE with %s', (declarations) => {
  const text = `<?xml version="1.0"?><!DOCTYPE yml_catalog [${declarations}]>${feed('<offer id="1"><name>&lol1;&xxe;</name></offer>')}`
  expect(() => readText(text)).toThrow('declares entities')
  expect(() => readText(text, [3])).toThrow('declares entities')
})

test('rejects a DOCTYPE that never ends or comes late', () => {
  expect(() => readText(`<!DOCTYPE yml_catalog [${'<!ELEMENT a (b)>'.repeat(10_000)}`)).toThrow('is not XML')
  const within = '<offer id="1"><!DOCTYPE a [<!ENTITY a "b">]><name>&a;</name></offer>'
  const late = readText(feed(`${within}<offer id="2"/>`))
  expect(late).toMatchObject([{ id: '1' }, { id: '2' }])
  expect(JSON.stringify(late)).not.toContain('"b"')
})

test('expands each entity to one character, and once more where the supplier encoded it twice', () => {
  const odd =
    '<offer id="1"><name>Экран 32&amp;quot;</name><param name="Q&amp;amp;A">&amp;lt;M&amp;gt; &lt;b&gt;</param></offer>'
  const params = [{ name: 'Q&A', value: '<M> <b>' }]
  expect(readText(feed(odd))).toMatchObject([{ name: 'Экран 32"', params }])
  expect(readText(feed(`<category id="1">H&amp;amp;M</category>${odd}`))).toMatchObject([{ name: 'H&M' }, {}])
  const text = '&amp;amp;amp;'.repeat(50)
  expect(readText(feed(`<offer id="1"><name>${text}</name></offer>`))).toMatchObject([{ name: '&amp;'.repeat(50) }])
  expect(readText(feed('<offer id="1"><name>&#0;&#xD800;&#99999999;x</name></offer>'))).toMatchObject([
    { id: '1', skipped: 'it has bytes that are invalid in the declared encoding' },
  ])
})

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
  'reads an element named %s safely',
  (name) => {
    const offers = `<offer id="1" ${name}="x"><${name}>x</${name}><param name="${name}">y</param></offer><offer id="2"/>`
    const [, second] = readText(feed(offers))
    expect(second).toMatchObject({ id: '2', params: [] })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  },
)

test('reads a feed with a comment before each of many offers', () => {
  const offers = Array.from({ length: 10_000 }, (_, id) => `<!-- ${'-x'.repeat(20)} --><offer id="${id}"/>`)
  expect(readText(feed(offers.join('\n')))).toHaveLength(10_000)
})

test.each(['<!-- a -->', '<!---->', '<!-- - -->', '<?a b?>', "<!-- > --><?a '?>"])(
  'reads a feed with many of %j before and within its root',
  (skipped) => {
    const doctype = `<!DOCTYPE yml_catalog SYSTEM "shops.dtd" [ ${skipped} <!ELEMENT a (b)> ]>`
    for (const beginning of [skipped.repeat(200), doctype + skipped.repeat(200), skipped.repeat(200) + doctype]) {
      const text = `<?xml version="1.0"?>${beginning}${feed(`${skipped}<offer id="1"/>${skipped.repeat(200_000)}`)}`
      expect(readText(text, [100_000])).toMatchObject([{ id: '1' }])
    }
    expect(() => readText(`${skipped.repeat(200)}<html/>`)).toThrow('starts with <html>')
  },
)

test('rejects an offer of more than 1 MB, whatever makes it long', () => {
  const long = 'я'.repeat(1.2 * MAX_LENGTH)
  for (const offer of [
    `<offer id="2"><name>${long}</name></offer>`,
    `<offer id="2"><name><![CDATA[${long}]]></name></offer>`,
    `<offer id="2"><!-- ${long} --></offer>`,
    `<offer id="2">${'<a/>'.repeat(300_000)}</offer>`,
  ]) {
    const text = feed(`<offer id="1"/>${offer}<offer id="3"/>`)
    expect(() => readText(text, [100_000])).toThrow('The feed has more than 1 MB within offer 2')
  }
})

test('reads an offer full of combining marks in time', () => {
  const marks = 'e\u0301\u0316'.concat('\u0301\u0316'.repeat(100_000))
  const before = process.threadCpuUsage()
  const [found] = readText(feed(`<offer id="1"><name>${marks}</name><param name="${marks}">${marks}</param></offer>`))
  const { user } = process.threadCpuUsage(before)
  expect(found).toMatchObject({ id: '1', name: expect.stringMatching(/^.{30}$/u) })
  expect(user / 1000).toBeLessThan(2000)
})

test('rejects a feed of more than 1 MB beside its offers', () => {
  expect(() => readText(feed('x'.repeat(1_100_000)))).toThrow('more than 1 MB beside its offers')
  const other = `<?xml version="1.0"?>\n<price>${'<item>1</item>'.repeat(100_000)}</price>`
  expect(() => readText(other)).toThrow('it starts with <price>')
})

test('detects the encoding by byte order mark, header or declaration, in this order', () => {
  const text = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${feed('<offer id="1"><name>Ёлка</name></offer>')}`
  const cyrillic = (value: string) =>
    Uint8Array.from(value, (character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 128) return code
      return character === 'Ё' ? 0xa8 : code - 0x410 + 0xc0
    })
  const name = [{ id: '1', name: 'Ёлка' }]
  for (const lengths of [[1], [7], [10_000]]) {
    expect(read(utf8(text('UTF-8')), lengths)).toMatchObject(name)
    expect(read(utf8(`\uFEFF${text('windows-1251')}`), lengths)).toMatchObject(name)
    expect(read(cyrillic(text('windows-1251')), lengths)).toMatchObject(name)
    expect(read(cyrillic(text('Windows-1251').replaceAll('"1.0"', "'1.0'")), lengths)).toMatchObject(name)
    expect(read(utf8(text('UTF-16')), lengths)).toMatchObject(name)
    const undeclared = feed('<offer id="1"><name>Ёлка</name></offer>')
    const byHeader = 'application/xml; charset=windows-1251'
    expect(read(cyrillic(undeclared), lengths, byHeader)).toMatchObject(name)
    expect(read(cyrillic(text('UTF-8')), lengths, 'text/xml;Charset="Windows-1251"')).toMatchObject(name)
    expect(read(utf8(text('windows-1251')), lengths, 'text/xml; charset=utf-8')).toMatchObject(name)
    expect(read(utf8(`\uFEFF${undeclared}`), lengths, byHeader)).toMatchObject(name)
    expect(read(cyrillic(text('windows-1251')), lengths, 'text/xml; charset=klingon')).toMatchObject(name)
    for (const marked of [`\uFEFF${text('UTF-16')}`, text('UTF-16'), `\uFEFF${undeclared}`, undeclared]) {
      const bytes = Buffer.from(marked, 'utf16le')
      expect(read(bytes, lengths)).toMatchObject(name)
      expect(read(bytes.swap16(), lengths, 'application/xml; charset=utf-16')).toMatchObject(name)
    }
  }
  expect(() => read(utf8(text('klingon')))).toThrow('unknown: klingon')
  // A wrong declaration: skip the offer rather than store garbage.
  expect(read(cyrillic(text('UTF-8')))).toMatchObject([
    { skipped: 'it has bytes that are invalid in the declared encoding' },
  ])
})

test('changes the digest of an offer with any part of it', () => {
  const digest = (offer: string) => readOffer(`<offer id="1">${offer}</offer>`).digest
  expect(digest('<name>a</name>')).toBe(digest('<name>a</name>'))
  expect(digest('<name>a</name>')).not.toBe(digest('<name>b</name>'))
  expect(digest('<count>1</count>')).not.toBe(digest('<count>2</count>'))
})
