import { useState } from 'react'
import fields from './fields.module.css'

type Props = {
  label: string
  value: number | null
  min?: number
  onCommit: (value: number) => void
  /** Without it, the number can't be removed. */
  onClear?: () => void
}

/** A number in a table that is saved with Enter, or when the field is left. */
export function NumberField({ label, value, min = 0, onCommit, onClear }: Props) {
  const shown = String(value ?? '')
  const [typed, setTyped] = useState(shown)
  function commit(): void {
    const entered = Number(typed.replace(',', '.').replaceAll(/\s/g, ''))
    const isBlank = typed.trim() === ''
    if (isBlank && onClear !== undefined) {
      if (value !== null) onClear()
    } else if (isBlank || !Number.isFinite(entered) || entered < min) setTyped(shown)
    else if (entered !== value) onCommit(entered)
  }
  return (
    <input
      className={`${fields.input} ${fields.number}`}
      aria-label={label}
      inputMode="decimal"
      placeholder={onClear && '—'}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit()
        if (key === 'Escape') setTyped(shown)
      }}
    />
  )
}
