import { language } from './language.ts'

type Say = (...args: never[]) => string
type Pair = readonly [en: string, ru: string] | readonly [en: Say, ru: Say]
export type Chosen<P> = { [Name in keyof P]: P[Name] extends Pair ? Widened<P[Name][0]> : P[Name] }
type Widened<T> = T extends string ? string : T

const INDEX = language === 'ru' ? 1 : 0

export type Pairs = Readonly<Record<string, Pair | Readonly<Record<string, string>>>>

/** Chooses the texts of the page's language. Each stands beside its translation, so that none lacks one. */
export function texts<const P extends Pairs>(pairs: P): Chosen<P>
export function texts(pairs: Pairs): Record<string, unknown> {
  const chosen = Object.entries(pairs).map(([name, pair]) => [name, Array.isArray(pair) ? pair[INDEX] : pair])
  return Object.fromEntries(chosen)
}
