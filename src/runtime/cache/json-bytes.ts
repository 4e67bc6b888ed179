/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

const LIST = Buffer.from('{"content":[')
const COMMA = Buffer.from(',')

export function toJsonBytes(value: object): JsonBytes {
  return Buffer.from(JSON.stringify(value))
}

/** A page of records that are JSON already. @param rest what it says beside them */
export function pageOf(records: { json: JsonBytes }[], rest: object): JsonBytes {
  const content = records.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]))
  return Buffer.concat([LIST, ...content, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)])
}
