import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFeedCutter, MAX_OFFER_LENGTH, type Piece } from '../../../src/rules/pipeline/cutter.ts'
import { createFeedDecoder } from '../../../src/rules/pipeline/encoding.ts'
import { readCategory, readOffer } from '../../../src/rules/pipeline/offers.ts'

/** What the feed holds when its bytes arrive in pieces of these lengths, over and over. */
function read(bytes: Uint8Array, lengths = [64 * 1024]) {
  const decoder = createFeedDecoder()
  const cutter = createFeedCutter()
  const pieces: Piece[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    pieces.push(...cutter.write(decoder.write(bytes.subarray(at, end))))
    at = end
  }
  pieces.push(...cutter.write(decoder.end()))
  cutter.end()
  return pieces.map((piece) => {
    if (piece.reason !== null) return { id: piece.id, skipped: piece.reason }
    const found = piece.element === 'offer' ? readOffer(piece.xml) : readCategory(piece.xml)
    return found.reason === null ? found.value : { id: found.id, skipped: found.reason }
  })
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const readText = (text: string, lengths?: number[]) => read(utf8(text), lengths)
const feed = (offers: string) => `<yml_catalog><shop><offers>${offers}</offers></shop></yml_catalog>`

const ODD = `<?xml version='1.0'?><!DOCTYPE yml_catalog SYSTEM "shops.dtd" [ <!-- ' > --> <!ELEMENT a (b)> ]>
<!-- <offer id="0"> --><yml_catalog date='1>0'><shop><name><![CDATA[<offer id="x"></offer>]]></name><categories>
<category id="1">Все &amp; всё</category><category id='2' parentId="1"><![CDATA[Под <категория>]]></category>
<category id="3"/></categories><offers><?php echo '<offer>' ?>
<offer id="1" type="a > b"><name>Дрель 😀 &quot;М&quot; &#1055;&nbsp;&mdash; &nobody; a &amp;lt; b</name><name>second</name>
<price>1 200</price><quantity>&gt;50</quantity><categoryId></categoryId><!-- </offer> -->
<description><![CDATA[</offer><offer id="z">]]></description>
<param name="Вес &gt; 1" unit="кг">3,5</param><param name="">x</param><param name="empty"/></offer>
<offer id='2'><name>No price</name><picture> https://a.example/1.jpg </picture><picture>/relative.jpg</picture>
<picture>https://a.example/1.jpg</picture><url>javascript:alert(1)</url></offer>
<offer><name>no id</name></offer><offer id="4"><name>open</nam></offer><offer id="5" x><name>y</name></offer>
<offer id="6"><name>unclosed</name><offer id="7"><name>next</name></offer><offer id="8"/>
<offer id="9"><name>a < b</name></offer><offer id="10"><param name="a<b">c</param></offer>
<offer id="11"><name>last, unclosed</name></offers></shop></yml_catalog><!-- end -->
`

test('real and odd shapes are read, mended or skipped one by one', () => {
  const found = readText(ODD)
  expect(found).toMatchObject([
    { id: '1', name: 'Все & всё', parentId: null },
    { id: '2', name: 'Под <категория>', parentId: '1' },
    { id: '3', skipped: 'the category has no name' },
    {
      id: '1',
      name: 'Дрель 😀 "М" П — &nobody; a &lt; b',
      price: '1 200',
      categoryId: null,
      pageUrl: null,
      params: [{ name: 'Вес > 1', value: '3,5 кг' }],
    },
    { id: '2', price: null, pictures: ['https://a.example/1.jpg'], pageUrl: null },
    { id: null, skipped: 'it has no id' },
    { id: '4', skipped: 'the offer has </nam> where <name> is open' },
    { id: null, skipped: 'the tag of the offer is malformed' },
    { id: '6', skipped: 'the offer is not closed before the next one' },
    { id: '7', name: 'next' },
    { id: '8', name: '' },
    { id: '9', skipped: 'the offer has a < that begins no tag' },
    { id: '10', skipped: 'the offer has a < that begins no tag' },
    { id: '11', skipped: 'the offer has </offers> where <offer> is open' },
  ])
})

test('however the bytes arrive, the offers are the same', () => {
  const bytes = utf8(ODD)
  const whole = read(bytes)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }), (lengths) => {
      expect(read(bytes, lengths)).toEqual(whole)
    }),
    { numRuns: 200 },
  )
  expect(read(bytes, [1])).toEqual(whole)
})

test('whatever is written as an offer is read as it was, in any pieces', () => {
  // U+FFFD stands for bytes that are no text, and an offer with them is skipped.
  const text = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .map((value) => value.replace(/[\p{Cc}\uFFFD]/gu, ' '))
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
    { numRuns: 300 },
  )
})

test('no text, however mangled, does anything but be read, skipped or refused', () => {
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
          if (!(error instanceof Error && error.name === 'FeedError')) throw error
          return 'refused'
        }
      }
      expect(outcome([length])).toEqual(outcome([1_000_000]))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['', /is empty/],
  ['not found', /is no XML/],
  ['<html><body>Sorry</body></html>', /begins with <html>/],
  ['<price><items><item id="1"/></items></price>', /begins with <price>, not with <yml_catalog>/],
  ['<shop><offers><offer id="1"/></offers></shop>', /begins with <shop>/],
  [feed('<offer id="1"/>').replace('</yml_catalog>', ''), /cut off/],
  [feed('<offer id="17"><name>x').split('</offers>')[0] ?? '', /cut off.*within offer 17/],
  [feed('<offer id="1"><description><![CDATA[x</description></offer>'), /cut off.*within offer 1$/],
  [`${feed('')}<yml_catalog/>`, /follows the end/],
  ['<yml_catalog><shop></yml_catalog>', /<\/yml_catalog> where <shop> is open/],
  [`<yml_catalog>${'<a>'.repeat(200)}`, /nested too deeply/],
  [feed('<a b=">'), /begins no tag/],
])('%j is no feed', (text, reason) => {
  expect(() => readText(text)).toThrow(reason)
  expect(() => readText(text, [1])).toThrow(reason)
})

test.each([
  '<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">',
  '<!ENTITY xxe SYSTEM "file:///etc/passwd">',
  '<!ENTITY % dtd SYSTEM "http://127.0.0.1:9/evil.dtd"> %dtd;',
  '%outside;',
])('a DOCTYPE with %s is refused before anything is read', (declarations) => {
  const text = `<?xml version="1.0"?><!DOCTYPE yml_catalog [${declarations}]>${feed('<offer id="1"><name>&lol1;&xxe;</name></offer>')}`
  expect(() => readText(text)).toThrow('declares entities')
  expect(() => readText(text, [3])).toThrow('declares entities')
})

test('a DOCTYPE that never ends, comes twice or late is refused', () => {
  expect(() => readText(`<!DOCTYPE yml_catalog [${'<!ELEMENT a (b)>'.repeat(10_000)}`)).toThrow('too long')
  expect(() => readText(`<!DOCTYPE a><!DOCTYPE b>${feed('')}`)).toThrow('where none may be')
  const late = feed('<!DOCTYPE yml_catalog [<!ENTITY a "b">]>')
  expect(() => readText(late)).toThrow('where none may be')
  const within = '<offer id="1"><!DOCTYPE a [<!ENTITY a "b">]><name>&a;</name></offer>'
  expect(readText(feed(`${within}<offer id="2"/>`))).toMatchObject([
    { id: '1', skipped: 'the offer holds a <! that begins nothing' },
    { id: '2' },
  ])
})

test('entities expand to one character each, and what comes of it is not looked at again', () => {
  const text = '&amp;amp;'.repeat(50)
  expect(readText(feed(`<offer id="1"><name>${text}</name></offer>`))).toMatchObject([
    { name: '&amp;'.repeat(50) },
  ])
  expect(readText(feed('<offer id="1"><name>&#0;&#xD800;&#99999999;x</name></offer>'))).toMatchObject([
    { id: '1', skipped: 'it holds bytes that are no text' },
  ])
})

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
  'an element called %s does no harm',
  (name) => {
    const offers = `<offer id="1" ${name}="x"><${name}>x</${name}><param name="${name}">y</param></offer><offer id="2"/>`
    const [, second] = readText(feed(offers))
    expect(second).toMatchObject({ id: '2', params: [] })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  },
)

test('an offer of more than 1 MB is skipped in little memory, whatever makes it long', () => {
  const long = 'я'.repeat(MAX_OFFER_LENGTH)
  for (const inside of [
    `<name>${long}</name>`,
    `<name><![CDATA[${long}]]></name>`,
    `<!-- ${long} -->`,
    '<a/>'.repeat(300_000),
  ]) {
    const text = feed(`<offer id="1"/><offer id="2">${inside}</offer><offer id="3"/>`)
    expect(readText(text, [100_000])).toMatchObject([
      { id: '1' },
      { id: '2', skipped: 'it is longer than 1 MB' },
      { id: '3' },
    ])
  }
  const tag = feed(`<offer id="1" x="${'y'.repeat(200_000)}"/><offer id="2"/>`)
  expect(readText(tag, [10_000])).toMatchObject([
    { skipped: 'the tag of the offer is malformed' },
    { id: '2' },
  ])
})

test('encodings: by mark, by declaration, by width', () => {
  const text = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${feed('<offer id="1"><name>Ёлка</name></offer>')}`
  const cyrillic = (value: string) =>
    Uint8Array.from(value, (character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 128) return code
      return character === 'Ё' ? 0xa8 : code - 0x410 + 0xc0
    })
  const wide = (value: string, mark: number[]) => Uint8Array.from([...mark, ...Buffer.from(value, 'utf16le')])
  const name = [{ id: '1', name: 'Ёлка' }]
  for (const lengths of [[1], [7], [10_000]]) {
    expect(read(utf8(text('UTF-8')), lengths)).toMatchObject(name)
    expect(read(utf8(`\uFEFF${text('windows-1251')}`), lengths)).toMatchObject(name)
    expect(read(cyrillic(text('windows-1251')), lengths)).toMatchObject(name)
    expect(read(cyrillic(text('Windows-1251').replaceAll('"1.0"', "'1.0'")), lengths)).toMatchObject(name)
    expect(read(wide(text('UTF-16'), [0xff, 0xfe]), lengths)).toMatchObject(name)
    expect(read(wide(text('UTF-16'), []), lengths)).toMatchObject(name)
    expect(read(utf8(text('UTF-16')), lengths)).toMatchObject(name)
  }
  expect(() => read(utf8(text('klingon')))).toThrow('not known: klingon')
  // It says UTF-8 and is not: better none of it than nonsense.
  expect(read(cyrillic(text('UTF-8')))).toMatchObject([{ skipped: 'it holds bytes that are no text' }])
})

test('digests tell which part of an offer has changed', () => {
  const digests = (offer: string) => {
    const found = readOffer(`<offer id="1">${offer}</offer>`)
    return found.reason === null ? found.value.digests : ''
  }
  expect(digests('<name>a</name>')).toHaveLength(80)
  expect(digests('<name>a</name>\n')).toBe(digests('<name> a </name>'))
  expect(digests('<name>a</name>')).not.toBe(digests('<name>b</name>'))
  expect(digests('<count>1</count>')).not.toBe(digests('<count>2</count>'))
})
