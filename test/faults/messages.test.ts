import { expect, test } from 'vitest'
import { splitPostgres } from './messages.ts'

function frame(type: string, body: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
}

const START = frame('', 'user shop')
const PREPARED = Buffer.concat([frame('P', 'select 1'), frame('B', 'Z'), frame('E', ''), frame('S', '')])
const SIMPLE = frame('Q', 'commit')

test.each([1, 2, 3, 7, 1000])('requests are cut at their ends, whatever the chunks (%i bytes)', (size) => {
  const split = splitPostgres('request')
  const stream = Buffer.concat([START, PREPARED, SIMPLE])
  const messages = ['']
  for (let at = 0; at < stream.length; at += size) {
    for (const { bytes, ends } of split(stream.subarray(at, at + size))) {
      messages[messages.length - 1] += bytes.toString('latin1')
      if (ends) messages.push('')
    }
  }
  expect(messages).toEqual([...[START, PREPARED, SIMPLE].map((bytes) => bytes.toString('latin1')), ''])
})

test('an answer ends with ReadyForQuery', () => {
  const row = Buffer.concat([frame('D', 'Z'), frame('C', 'SELECT 1')])
  const pieces = splitPostgres('answer')(Buffer.concat([row, frame('Z', 'I'), row]))
  expect(pieces.map(({ bytes, ends }) => [bytes.length, ends])).toEqual([
    [row.length + 6, true],
    [row.length, false],
  ])
})
