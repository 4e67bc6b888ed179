import { useContext, useId } from 'react'
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
import page from './page.module.css'

type Described = { label: string; hint?: string | undefined }

type TextProps = Omit<TextFieldProps, 'defaultValue'> &
  Described & { defaultValue?: string | number | null | undefined; rows?: number; placeholder?: string }

/** A line of text, or with `rows` several. Its fault stands below it. */
export function TextField({ label, hint, rows, placeholder, defaultValue, ...props }: TextProps) {
  const filled = props.type === 'datetime-local' ? toLocalTime(defaultValue) : String(defaultValue ?? '')
  const input = { className: css.input, placeholder }
  return (
    <AriaTextField {...props} {...(props.value === undefined ? { defaultValue: filled } : {})} className={css.field}>
      <Label className={css.label}>{label}</Label>
      {rows === undefined ? <Input {...input} /> : <TextArea {...input} rows={rows} />}
      {hint && (
        <Text slot="description" className={css.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={css.fault} />
    </AriaTextField>
  )
}

type SelectProps = Described & {
  name?: string
  options: readonly (readonly [value: string, label: string])[]
  value?: string
  defaultValue?: string | number | null | undefined
  onChange?: (value: string) => void
  isHiddenLabel?: boolean
}

/** One of a few values; the browser's own control, which every telephone knows. */
export function SelectField({ label, hint, options, onChange, isHiddenLabel, defaultValue, ...props }: SelectProps) {
  const id = useId()
  const fault = useContext(FormValidationContext)?.[props.name ?? '']
  const chosen = String(defaultValue ?? '')
  // The options may come later.
  const isKnown = chosen === '' || options.some(([value]) => value === chosen)
  return (
    <div className={css.field}>
      <label htmlFor={id} className={isHiddenLabel ? page.hidden : css.label}>
        {label}
      </label>
      <select
        {...props}
        {...(props.value === undefined ? { defaultValue: chosen } : {})}
        id={id}
        className={css.input}
        aria-invalid={fault !== undefined}
        onChange={({ target }) => onChange?.(target.value)}
      >
        {(isKnown ? options : [...options, [chosen, '…'] as const]).map(([value, text]) => (
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
export function CheckField({ label, ...props }: Omit<CheckboxProps, 'children'> & { label?: string }) {
  return (
    <Checkbox {...props} className={css.check}>
      <span className={css.box} aria-hidden="true" />
      {label}
    </Checkbox>
  )
}

/** A time of the API for a `datetime-local` field. */
function toLocalTime(time: string | number | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
