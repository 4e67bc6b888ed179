import { type InputHTMLAttributes, useId } from 'react'
import css from './field.module.css'

type Props = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'autoComplete' | 'required' | 'defaultValue' | 'readOnly' | 'inputMode' | 'minLength'
> & { label: string; name: string; fault?: string | undefined; hint?: string; rows?: number }

/** A line of text, or with `rows` several. Its fault stands below it. */
export function Field({ label, name, fault, hint, rows, required = false, ...input }: Props) {
  const id = useId()
  const shared = {
    id,
    name,
    className: css.input,
    'aria-required': required,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined && hint === undefined ? undefined : `${id}-note`,
  }
  return (
    <div className={css.field}>
      <label htmlFor={id}>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {rows === undefined ? (
        <input {...shared} {...input} />
      ) : (
        <textarea {...shared} rows={rows} defaultValue={input.defaultValue} readOnly={input.readOnly} />
      )}
      {fault !== undefined && (
        <span id={`${id}-note`} className={css.fault}>
          {fault}
        </span>
      )}
      {fault === undefined && hint !== undefined && (
        <span id={`${id}-note`} className={css.hint}>
          {hint}
        </span>
      )}
    </div>
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
