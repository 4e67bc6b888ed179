import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, type SubmitEvent, useEffect, useId, useState } from 'react'
import { got, type Schemas, shop } from '../api.ts'
import { useMoney } from '../settings.ts'
import { t } from '../text.ts'
import common from './common.module.css'
import { SearchIcon } from './icons.tsx'
import css from './search-box.module.css'

const TYPING_PAUSE_MS = 150

type Option =
  | { kind: 'word'; name: string }
  | { kind: 'category' | 'brand'; name: string; slug: string }
  | { kind: 'product'; name: string; slug: string; price: number | null; imageUrl: string | null }

/** Suggests while typing: a combobox, as WAI-ARIA describes it. */
export function SearchBox() {
  const id = useId()
  const navigate = useNavigate()
  const money = useMoney()
  const { search }: { search?: readonly string[] } = useSearch({ strict: false })
  const searched = search?.[0] ?? ''
  const [text, setText] = useState(searched)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  useEffect(() => setText(searched), [searched])

  const typed = useDelayed(text.trim())
  const { data } = useQuery({
    queryKey: ['suggestions', typed],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/products/suggest', { params: { query: { q: typed } }, signal })),
    enabled: isOpen && typed.length > 1,
  })
  const options = isOpen && data !== undefined && text.trim() !== '' ? toOptions(data) : []
  const chosen = options[active]

  function close(): void {
    setOpen(false)
    setActive(-1)
  }

  function choose(option: Option): void {
    close()
    if (option.kind === 'word') void navigate({ to: '/search', search: { search: [option.name] } })
    else if (option.kind === 'category') void navigate({ to: '/categories/$slug', params: option, search: {} })
    else if (option.kind === 'brand') void navigate({ to: '/brands/$slug', params: option, search: {} })
    else void navigate({ to: '/products/$slug', params: option, search: {} })
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault()
    if (chosen !== undefined) choose(chosen)
    else if (text.trim() !== '') choose({ kind: 'word', name: text.trim() })
  }

  function move(event: KeyboardEvent): void {
    if (event.key === 'Escape') close()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setOpen(true)
    // One place more than there are options: that of the text itself.
    const places = options.length + 1
    setActive(((active + 1 + step + places) % places) - 1)
  }

  return (
    <search className={css.search}>
      <form className={css.form} onSubmit={submit}>
        <input
          className={css.input}
          type="text"
          role="combobox"
          aria-label={t.searchPlaceholder}
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen === undefined ? undefined : `${id}-${active}`}
          autoComplete="off"
          enterKeyHint="search"
          placeholder={t.searchPlaceholder}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setOpen(true)
            setActive(-1)
          }}
          onKeyDown={move}
          onBlur={close}
        />
        <button type="submit" className={css.submit}>
          <SearchIcon />
          <span className={common.hidden}>{t.search}</span>
        </button>
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={t.suggestions}
          className={css.list}
          hidden={options.length === 0}
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's
            <div
              key={`${option.kind} ${option.kind === 'word' ? option.name : option.slug}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={css.option}
              // The input keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {option.kind === 'product' && option.imageUrl !== null && (
                <img src={`${option.imageUrl}&width=160`} width={40} height={40} alt="" />
              )}
              <span className={css.label}>{option.name}</span>
              <span className={css.kind}>
                {option.kind === 'category' && t.category}
                {option.kind === 'brand' && t.brand}
                {option.kind === 'product' && option.price ? money(option.price) : null}
              </span>
            </div>
          ))}
        </div>
      </form>
    </search>
  )
}

function toOptions({ words, categories, brands, products }: Schemas['Suggestions']): Option[] {
  return [
    ...words.map((name) => ({ kind: 'word' as const, name })),
    ...categories.map((one) => ({ ...one, kind: 'category' as const })),
    ...brands.map((one) => ({ ...one, kind: 'brand' as const })),
    ...products.map((one) => ({ ...one, kind: 'product' as const })),
  ]
}

/** The value once it has stayed the same for a moment. */
function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return delayed
}
