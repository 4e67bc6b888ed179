import { RECORD_FAULTS, UNAVAILABLE_FAULTS } from './records.ts'
import { REQUEST_FAULTS } from './requests.ts'
import { VALUE_FAULTS } from './values.ts'

type Sentences = { en: string; ru: string }

/** Sentences that a form can show beside a field, by the code of the fault (docs/http.md). */
export const FAULTS = { ...VALUE_FAULTS, ...RECORD_FAULTS, ...UNAVAILABLE_FAULTS, ...REQUEST_FAULTS }
type FaultCode = keyof typeof FAULTS

type Param = string | number | readonly (string | number)[]
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never

/** What is wrong, with the values of the placeholders in its sentences. */
type ReasonOf<Code extends FaultCode> = Code extends keyof typeof UNAVAILABLE_FAULTS
  ? { code: Code; params: { availableQuantity: number } }
  : [Placeholders<(typeof FAULTS)[Code]['en']>] extends [never]
    ? { code: Code; params?: undefined }
    : { code: Code; params: Record<Placeholders<(typeof FAULTS)[Code]['en']>, Param> }
export type FaultReason = { [Code in FaultCode]: ReasonOf<Code> }[FaultCode]

/**
 * A fault of the input. `path` is that in the body, members separated by dots; elsewhere it begins with `querystring.`,
 * `params.` or `headers.`.
 */
export type Fault = { path: string } & FaultReason

/** A fault of PRODUCT_UNAVAILABLE. */
export type UnavailableFault = Extract<Fault, { code: keyof typeof UNAVAILABLE_FAULTS }>

export function isUnavailable(fault: Fault): fault is UnavailableFault {
  return fault.code in UNAVAILABLE_FAULTS
}

/** What a form asks for where a field is missing or empty, by the field's name. */
const EMPTY: { [field: string]: Sentences } = {
  // Of a person or a thing, for which Russian has two words.
  name: { en: 'Enter a name', ru: 'Заполните это поле' },
  customerName: { en: 'Enter a name', ru: 'Укажите имя' },
  author: { en: 'Enter a name', ru: 'Укажите имя' },
  email: { en: 'Enter an email address', ru: 'Укажите адрес электронной почты' },
  customerEmail: { en: 'Enter an email address', ru: 'Укажите адрес электронной почты' },
  phone: { en: 'Enter a phone number', ru: 'Укажите телефон' },
  customerPhone: { en: 'Enter a phone number', ru: 'Укажите телефон' },
  password: { en: 'Enter a password', ru: 'Введите пароль' },
  currentPassword: { en: 'Enter your current password', ru: 'Введите текущий пароль' },
  newPassword: { en: 'Enter a new password', ru: 'Введите новый пароль' },
  message: { en: 'Enter a message', ru: 'Напишите сообщение' },
  text: { en: 'Enter a text', ru: 'Введите текст' },
  title: { en: 'Enter a title', ru: 'Введите заголовок' },
  items: { en: 'Add at least one product', ru: 'Добавьте хотя бы один товар' },
  consent: {
    en: 'Agree to the privacy policy',
    ru: 'Подтвердите согласие с политикой конфиденциальности',
  },
  quantity: { en: 'Enter a quantity', ru: 'Укажите количество' },
}

/** The sentence of a fault. */
export function sentenceOf({ path, code, params }: Fault, language: keyof Sentences): string {
  const ofField = code === 'EMPTY' ? EMPTY[path.split('.').at(-1) ?? ''] : undefined
  const { [language]: sentence } = ofField ?? FAULTS[code]
  const values = new Map<string, Param>(Object.entries(params ?? {}))
  return sentence.replace(/\{(\w+)\}/g, (_, name) => [values.get(name) ?? ''].flat().join(', '))
}
