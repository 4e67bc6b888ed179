import { useState } from 'react'
import fields from '../../ui/fields.module.css'
import css from './quantity.module.css'

/** A number that is saved with Enter, or when the field is left. */
export function QuantityField({
  label,
  value,
  min,
  onCommit,
}: {
  label: string
  value: number
  min: number
  onCommit: (value: number) => void
}) {
  const [typed, setTyped] = useState(String(value))
  function commit(): void {
    const entered = Number(typed.replace(',', '.'))
    if (typed.trim() === '' || !Number.isFinite(entered) || entered < min) setTyped(String(value))
    else if (entered !== value) onCommit(entered)
  }
  return (
    <input
      className={`${fields.input} ${css.number}`}
      aria-label={label}
      inputMode="decimal"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit()
        if (key === 'Escape') setTyped(String(value))
      }}
    />
  )
}
