const LIST = Buffer.from('{"content":[')
const COMMA = Buffer.from(',')

/** JSON in UTF-8, outside Node's buffer pool, where one cached buffer would retain 8 KB. */
export function toJsonBytes(value: object): Buffer {
  const text = JSON.stringify(value)
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** A page of serialized records. @param rest the page's other fields */
export function pageOf(records: { json: Buffer }[], rest: object): Buffer {
  const content = records.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]))
  return Buffer.concat([LIST, ...content, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)])
}
