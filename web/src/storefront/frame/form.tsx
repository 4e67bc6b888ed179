import { createContext, type InputHTMLAttributes, type ReactNode, type SubmitEvent, use, useId } from 'react'
import { fieldFaults } from '../../api/failure.ts'
import common from './common.module.css'
import css from './field.module.css'
import { FailureNote } from './states.tsx'

const Faults = createContext<Readonly<Record<string, string>>>({})

/** What the API finds wrong with a field. */
export function useFault(name: string): string | undefined {
  return use(Faults)[name]
}

type FormProps = {
  /** The request that the form sends. */
  sending: { error: unknown; isPending: boolean }
  onSubmit: (form: FormData, element: HTMLFormElement) => void
  button: string
  isQuiet?: boolean
  /** In place of the API's own words. */
  failure?: ReactNode
  children: ReactNode
}

/** Fields and a button. What the API finds wrong stands beside the fields, or above the button. */
export function Form({ sending, onSubmit, button, isQuiet = false, failure, children }: FormProps) {
  const { error, isPending } = sending
  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget), event.currentTarget)
  }
  return (
    <form className={common.narrow} onSubmit={submit} noValidate>
      <Faults value={fieldFaults(error)}>{children}</Faults>
      {failure ?? (error !== null && <FailureNote error={error} />)}
      <button type="submit" className={isQuiet ? common.button : common.primary} disabled={isPending}>
        {button}
      </button>
    </form>
  )
}

type Input = InputHTMLAttributes<HTMLInputElement>
type FieldProps = Pick<Input, 'type' | 'autoComplete' | 'required'> & {
  label: string
  name: string
  hint?: string | undefined
  rows?: number
  defaultValue?: string | null | undefined
}

/** A line of text, or with `rows` several. Its fault stands below it. */
export function Field({ label, name, hint, rows, required = false, defaultValue, ...input }: FieldProps) {
  const id = useId()
  const fault = useFault(name)
  const note = fault ?? hint
  const shared = {
    id,
    name,
    className: css.input,
    defaultValue: defaultValue ?? '',
    'aria-required': required,
    'aria-invalid': fault !== undefined,
    'aria-describedby': note && `${id}-note`,
  }
  return (
    <div className={css.field}>
      <label htmlFor={id}>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {rows === undefined ? <input {...shared} {...input} /> : <textarea {...shared} rows={rows} />}
      {note !== undefined && (
        <span id={`${id}-note`} className={fault === undefined ? css.hint : css.fault}>
          {note}
        </span>
      )}
    </div>
  )
}
