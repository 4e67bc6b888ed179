import { useState } from 'react'
import fields from '../../ui/fields.module.css'
import css from '../orders/quantity.module.css'

/** An own price that is saved with Enter, or when the field is left; empty removes it. */
export function PriceField({
  label,
  value,
  onCommit,
}: {
  label: string
  value: number | null
  onCommit: (value: number | null) => void
}) {
  const shown = value === null ? '' : String(value)
  const [typed, setTyped] = useState(shown)
  function commit(): void {
    const entered = typed.trim() === '' ? null : Number(typed.replace(',', '.').replaceAll(/\s/g, ''))
    if (Number.isNaN(entered)) setTyped(shown)
    else if (entered !== value) onCommit(entered)
  }
  return (
    <input
      className={`${fields.input} ${css.number}`}
      aria-label={label}
      inputMode="decimal"
      placeholder="—"
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
