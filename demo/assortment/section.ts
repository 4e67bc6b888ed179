/**
 * A kind of product. Each line of `specs` is an attribute: `Мощность: 450–1100/50 Вт` (a range with its step and unit) or
 * `Патрон: ключевой | быстрозажимной` (a choice). The first range gives the model number and is part of the name.
 */
export interface Kind {
  /** Name of the category. */
  readonly name: string
  /** Name of a single product. */
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
  /** Attributes that any product of the section may have. */
  readonly common: readonly string[]
  readonly groups: readonly Group[]
}

export function kind(name: string, noun: string, price: readonly [number, number], ...specs: string[]): Kind {
  return { name, noun, price, specs }
}
