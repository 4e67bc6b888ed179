/**
 * A kind of product. Each line of `specs` is an attribute: `Мощность: 450–1100/50 Вт` (a range, its step and unit) or
 * `Патрон: ключевой | быстрозажимной` (a choice). The first range gives the model number and stands in the name.
 */
export interface Kind {
  /** The category's name. */
  readonly name: string
  /** What one product of it is called. */
  readonly noun: string
  /** Lowest and highest price in roubles. */
  readonly price: readonly [number, number]
  readonly specs: readonly string[]
}

interface Group {
  readonly name: string
  readonly kinds: readonly Kind[]
}

export interface Section {
  readonly name: string
  readonly brands: readonly string[]
  /** Attributes that any product of the section may have beside its own. */
  readonly common: readonly string[]
  readonly groups: readonly Group[]
}

/** Shortens the tables: name, noun, price range, attributes. */
export function kind(name: string, noun: string, price: readonly [number, number], ...specs: string[]): Kind {
  return { name, noun, price, specs }
}
