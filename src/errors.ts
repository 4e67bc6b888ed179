import type { Fault } from './rules/faults/sentences.ts'

/** The languages of messages and mails. */
export const LANGUAGES = ['ru', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** Messages in Russian, by code; the English ones, written where errors are thrown, are more precise. */
const RUSSIAN_MESSAGES = {
  UNAUTHORIZED: 'Войдите в систему',
  TOTP_REQUIRED: 'Введите код из приложения',
  VALIDATION_FAILED: 'Проверьте введённые данные',
  FORBIDDEN: 'Недостаточно прав',
  TOTP_SETUP_REQUIRED: 'Сначала настройте вход с кодом из приложения',
  NOT_FOUND: 'Не найдено',
  CONFLICT: 'Данные противоречат уже сохранённым',
  RATE_LIMITED: 'Слишком много попыток; повторите позже',
  REQUEST_TIMEOUT: 'Запрос не был передан вовремя',
  PAYLOAD_TOO_LARGE: 'Слишком большой объём данных',
  METHOD_NOT_ALLOWED: 'Этот метод здесь не поддерживается',
  URI_TOO_LONG: 'Слишком длинный адрес',
  UNSUPPORTED_MEDIA_TYPE: 'Этот формат здесь не поддерживается',
  HEADERS_TOO_LARGE: 'Слишком большие заголовки запроса',
  UPGRADE_REQUIRED: 'Здесь нужно соединение WebSocket',
  TOO_MANY_TOPICS: 'Слишком много подписок в одном соединении',
  INTERNAL: 'Ошибка на нашей стороне',
  UNAVAILABLE: 'Сервис временно недоступен; повторите попытку',
  EMAIL_TAKEN: 'Этот адрес электронной почты уже используется',
  RESET_TOKEN_INVALID: 'Ссылка недействительна или устарела; запросите новую',
  TOTP_ON: 'Вход с кодом уже включён',
  TOTP_OFF: 'Вход с кодом выключен',
  OWN_ACCOUNT: 'Со своей учётной записью этого сделать нельзя',
  KEY_TAKEN: 'Такая настройка уже есть',
  NAME_TAKEN: 'Такое название уже есть',
  SYNC_RUNNING: 'Синхронизация уже идёт',
  MAIL_SENT: 'Это письмо уже отправлено',
  JOB_RUNNING: 'Эта задача уже выполняется',
  PIPELINE_RUNNING: 'Обработка фида уже идёт',
  RUN_NOT_RETRYABLE: 'Этот запуск нельзя повторить',
  FEED_NOT_CONFIGURED: 'Адрес фида не настроен',
  CATEGORY_MAPPED: 'С этой категорией уже связана другая категория фида',
  ALIAS_TAKEN: 'Для этого названия уже есть правило',
  PRODUCT_OVERRIDDEN: 'Для этого товара изображения уже заданы',
  PRODUCT_UNAVAILABLE: 'Некоторых товаров нет в таком количестве',
  IDEMPOTENCY_KEY_REUSED: 'Этот Idempotency-Key уже использован для другого или удалённого заказа',
  ORDER_NOT_CANCELLABLE: 'Этот заказ уже нельзя отменить',
  TOO_MANY_ITEMS: 'В заказе может быть не больше 100 позиций',
  LAST_ITEM: 'Последнюю позицию удалить нельзя; удалите заказ',
  ORDER_NOT_EDITABLE: 'Позиции этого заказа уже нельзя изменить',
  ORDER_NOT_SUBMITTABLE: 'Заказ в этом состоянии нельзя передать поставщику',
  ORDER_SUBMITTING: 'Заказ как раз передаётся поставщику; повторите чуть позже',
  SUBMIT_UNCLEAR: 'Возможно, поставщик уже получил заказ; сначала передайте его снова',
  NOT_A_SUPPLIER_PRODUCT: 'Не все товары заказа есть у поставщика',
  PERIOD_OVERLAP: 'На часть этих дней уже задана другая цена; сначала завершите её период',
  STALE: 'Запись изменилась с тех пор, как вы её открыли',
  SLUG_TAKEN: 'Этот адрес страницы занят',
  SCRAPE_ACTIVE: 'Изображения этого товара уже загружаются',
  NOT_DOWNLOADED: 'Это изображение было загружено вручную',
  EXTERNAL_ID_TAKEN: 'Товар с таким externalId уже есть',
  TOO_MANY_PRODUCTS: 'Фильтр находит больше 10 000 товаров; уточните его',
  IMAGE_IN_USE: 'Изображение используется',
  RANGE_NOT_SATISFIABLE: 'Такой части файла нет',
  CATEGORY_CYCLE: 'Категория не может быть вложена сама в себя',
  CHILDREN_DIFFER: 'Список не совпадает с подкатегориями этой категории',
}
export type ErrorCode = keyof typeof RUSSIAN_MESSAGES

/** Values of `code` in an error's body (docs/http.md); that of a 401 has none. */
export const ERROR_CODES = Object.keys(RUSSIAN_MESSAGES).filter(
  (code): code is Exclude<ErrorCode, 'UNAUTHORIZED'> => code !== 'UNAUTHORIZED',
)

/** Faults reported in one response. */
export const MAX_FAULTS = 50

type Extras = {
  /** The `details` of the body. */
  faults?: Fault[]
  /** `Retry-After`, in seconds. */
  retryAfter?: number
  /** Further members of the body, such as the id of the running sync. */
  body?: Record<string, unknown>
  headers?: Record<string, string>
  /** Logged, never sent. */
  cause?: unknown
}

/** An error that the caller should see (docs/http.md). Any other error becomes a 500 without details. */
export class AppError extends Error {
  override name = 'AppError'
  readonly status: number
  readonly code: ErrorCode
  readonly extras: Extras

  constructor(status: number, code: ErrorCode, message: string, extras: Extras = {}) {
    super(message, extras)
    this.status = status
    this.code = code
    this.extras = extras
  }

  /** The message for people. */
  messageIn(language: Language): string {
    return language === 'ru' ? RUSSIAN_MESSAGES[this.code] : this.message
  }
}

/** Why the shop can't start and how the operator can fix that. The message contains no secrets. */
export class StartError extends Error {
  override name = 'StartError'
}

/** The supplier didn't respond, refused, or sent an invalid response. The message contains no secrets. */
export class SupplierError extends Error {
  override name = 'SupplierError'
}

/** The supplier feed can't be downloaded or isn't one. The message contains no secrets. */
export class SupplierFeedError extends Error {
  override name = 'SupplierFeedError'
}

/** A feed of the shop couldn't be published. The message contains no secrets. */
export class FeedError extends Error {
  override name = 'FeedError'
}

/** 401: no valid token, or wrong credentials. */
export function unauthorized(): AppError {
  return new AppError(401, 'UNAUTHORIZED', 'A valid token is required')
}

/** 401: the password is right, and the account has a second factor. */
export function totpRequired(): AppError {
  return new AppError(401, 'TOTP_REQUIRED', 'A code of the authenticator app is required')
}

/** 403: the role is too low. */
export function forbidden(message = 'Your role does not allow this'): AppError {
  return new AppError(403, 'FORBIDDEN', message)
}

/** 403: staff have to set up a second factor first. */
export function totpSetupRequired(): AppError {
  return new AppError(403, 'TOTP_SETUP_REQUIRED', 'Set up two-factor login first: POST /api/v1/auth/totp')
}

/** 404: no such record, or not visible to the caller. */
export function notFound(what: string): AppError {
  return new AppError(404, 'NOT_FOUND', `No such ${what}`)
}

/** Returns the record if it exists. @throws AppError 404 */
export function found<T>(record: T | null | undefined, what: string): T {
  if (record === null || record === undefined) throw notFound(what)
  return record
}

/** 400 with the invalid fields, each with its first fault. */
export function invalid(...faults: Fault[]): AppError {
  const seen = new Set<string>()
  const first = faults.filter(({ path }) => !seen.has(path) && seen.add(path))
  return new AppError(400, 'VALIDATION_FAILED', 'The request is not valid', { faults: first.slice(0, MAX_FAULTS) })
}

/** The fault of a field that names a record which doesn't exist. */
export function missingRecord(path: string): Fault {
  return { path, code: 'NO_RECORD' }
}

/** @throws AppError 400 with the faults, if there are any */
export function refuse(faults: Fault[]): void {
  if (faults.length > 0) throw invalid(...faults)
}

/** Runs a check that throws AppError 400. @returns the faults that it found */
export function faultsOf(check: () => unknown): Fault[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof AppError && error.extras.faults) return error.extras.faults
    throw error
  }
}

/** 409: the request conflicts with the current state. */
export function conflict(code: ErrorCode, message: string, extras: Extras = {}): AppError {
  return new AppError(409, code, message, extras)
}

/** 429: a limit is reached. @param msLeft milliseconds until the next attempt is allowed */
export function rateLimited(msLeft: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000))
  return new AppError(429, 'RATE_LIMITED', 'Too many attempts; please retry later', { retryAfter })
}

export function isRateLimited(error: unknown): boolean {
  return error instanceof AppError && error.code === 'RATE_LIMITED'
}

/** A page or image of a storefront can't be downloaded. The message may be stored and shown to staff. */
export class StorefrontError extends Error {
  override name = 'StorefrontError'
  /** Another attempt would fail too. */
  readonly permanent: boolean
  /** Of the response, if there was one. */
  readonly status: number | undefined

  constructor(message: string, { permanent = true, status }: { permanent?: boolean; status?: number } = {}) {
    super(message)
    this.permanent = permanent
    this.status = status
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` that Node and clients give their errors. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Null if there is no such file. ENOTDIR: a parent in its path is a file itself. */
export function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
  throw error
}
