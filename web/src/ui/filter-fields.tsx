import { useEffect, useState } from 'react'
import { CheckField, SelectField, TextField } from './fields.tsx'
import { useFilters } from './filters.ts'
import page from './page.module.css'
import { t } from './text.ts'

const TYPING_MS = 300

type Filter = { name: string; label: string }
type Options = readonly (readonly [value: string, label: string])[]

/** Searches when the typing pauses. */
export function SearchFilter({ label, name = 'search' }: { label: string; name?: string }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => setFilters({ [name]: typed }), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return <TextField type="search" label={t.search} placeholder={label} value={typed} onChange={setTyped} />
}

/** One of a few values, or all. */
export function SelectFilter({ name, label, options, all = t.all }: Filter & { options: Options; all?: string }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  const choose = (chosen: string) => setFilters({ [name]: chosen })
  return <SelectField label={label} value={value} options={[['', all], ...options]} onChange={choose} />
}

export function DateFilter({ name, label }: Filter) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  return <TextField type="date" label={label} value={value} onChange={(day) => setFilters({ [name]: day })} />
}

export function CheckFilter({ name, label }: Filter) {
  const [{ [name]: value }, setFilters] = useFilters()
  const change = (isOn: boolean) => setFilters({ [name]: isOn ? 'true' : undefined })
  return <CheckField label={label} isSelected={value === 'true'} onChange={change} />
}

/** One of a few values as tabs; the empty one is that without the filter. */
export function TabFilter({ name, label, options }: Filter & { options: Options }) {
  const [{ [name]: value = '' }, setFilters] = useFilters()
  return (
    <nav className={page.tabs} aria-label={label}>
      {options.map(([one, text]) => (
        <button
          key={one}
          type="button"
          className={page.tab}
          aria-current={value === one ? 'true' : undefined}
          onClick={() => setFilters({ [name]: one })}
        >
          {text}
        </button>
      ))}
    </nav>
  )
}
