/** How each member of an input is read from the field of its name. */
export type Readers<Input> = { readonly [Name in keyof Input]: (form: FormData, name: string) => Input[Name] }

/** Reads the fields of a form, each as what the API takes. */
export function reads<Input extends object>(readers: Readers<Input>): (form: FormData) => Input
export function reads(readers: Readers<Record<string, unknown>>) {
  return (form: FormData): Record<string, unknown> =>
    Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(form, name)]))
}

/** The text of a field; blank is null. */
export function text(form: FormData, name: string): string | null {
  const value = form.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The text of a field that the API requires: it says what is missing. */
export function line(form: FormData, name: string): string {
  return text(form, name) ?? ''
}

/** A password as it was typed. */
export function secret(form: FormData, name: string): string {
  return String(form.get(name) ?? '')
}

/** The number of a field; blank is null. A decimal comma is a point. */
export function number(form: FormData, name: string): number | null {
  const entered = text(form, name)
  return entered === null ? null : Number(entered.replace(',', '.').replaceAll(/\s/g, ''))
}

export function numberOrZero(form: FormData, name: string): number {
  return number(form, name) ?? 0
}

export function checked(form: FormData, name: string): boolean {
  return form.has(name)
}

/** The time of a `datetime-local` field, which is the browser's, as the API takes it. */
export function time(form: FormData, name: string): string | null {
  const entered = text(form, name)
  return entered === null ? null : new Date(entered).toISOString()
}
