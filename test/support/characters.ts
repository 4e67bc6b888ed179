import fc from 'fast-check'

/** A character of Unicode, often of Latin. The unit `binary` would make a table of all of them, which takes a second. */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x24f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code))
