import { type ReactNode, useContext, useId } from 'react'
import {
  TextField as AriaTextField,
  Checkbox,
  type CheckboxProps,
  FieldError,
  FormValidationContext,
  Input,
  Label,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components'
import css from './fields.module.css'

type Described = { label: string; hint?: string | undefined }

/** A line of text, or with `rows` several. Its fault stands below it. */
export function TextField({
  label,
  hint,
  rows,
  placeholder,
  step,
  min,
  max,
  accept,
  ...props
}: TextFieldProps &
  Described & {
    rows?: number
    placeholder?: string
    step?: string
    min?: number | string
    max?: number
    accept?: string
  }) {
  return (
    <AriaTextField {...props} className={css.field ?? ''}>
      <Label className={css.label ?? ''}>{label}</Label>
      {rows === undefined ? (
        <Input
          className={css.input ?? ''}
          placeholder={placeholder}
          step={step}
          min={min}
          max={max}
          accept={accept}
          inputMode={props.type === 'number' ? 'decimal' : undefined}
        />
      ) : (
        <TextArea className={css.input ?? ''} rows={rows} placeholder={placeholder} />
      )}
      {hint && (
        <Text slot="description" className={css.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={css.fault ?? ''} />
    </AriaTextField>
  )
}

type SelectProps = Described & {
  name?: string
  options: readonly (readonly [value: string, label: string])[]
  value?: string
  defaultValue?: string
  onChange?: (value: string) => void
  isHiddenLabel?: boolean
}

/** One of a few values; the browser's own control, which every telephone knows. */
export function SelectField({ label, hint, options, onChange, isHiddenLabel, ...props }: SelectProps) {
  const id = useId()
  const fault = useContext(FormValidationContext)?.[props.name ?? '']
  return (
    <div className={css.field}>
      <label htmlFor={id} className={isHiddenLabel ? css.hidden : css.label}>
        {label}
      </label>
      <select
        {...props}
        id={id}
        className={css.input}
        aria-invalid={fault !== undefined}
        onChange={({ target }) => onChange?.(target.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint && <span className={css.hint}>{hint}</span>}
      {fault && <span className={css.fault}>{fault}</span>}
    </div>
  )
}

/** Yes or no. */
export function CheckField({ children, ...props }: Omit<CheckboxProps, 'children'> & { children?: ReactNode }) {
  return (
    <Checkbox {...props} className={css.check ?? ''}>
      <span className={css.box} aria-hidden="true" />
      {children}
    </Checkbox>
  )
}

/** The text of a field; blank is null. */
export function readText(form: FormData, name: string): string | null {
  const value = form.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The text of a field that the API requires: it says what is missing. */
export function readLine(form: FormData, name: string): string {
  return readText(form, name) ?? ''
}

/** The number of a field; blank is null. A decimal comma is a point. */
export function readNumber(form: FormData, name: string): number | null {
  const text = readText(form, name)
  return text === null ? null : Number(text.replace(',', '.').replaceAll(/\s/g, ''))
}

/** The time of a `datetime-local` field, which is the browser's, as the API takes it. */
export function readTime(form: FormData, name: string): string | null {
  const text = readText(form, name)
  return text === null ? null : new Date(text).toISOString()
}

/** A time of the API for a `datetime-local` field. */
export function toLocalTime(time: string | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
