import { type SubmitEvent, useState } from 'react'
import type { Search } from '../address.ts'
import type { Schemas } from '../api.ts'
import { formatNumber } from '../format.ts'
import common from '../frame/common.module.css'
import { t } from '../text.ts'
import css from './filters.module.css'
import type { Scope } from './query.ts'

const SHORT_LIST = 8
/** Fractions of large bounds don't matter. */
const FINE_BELOW = 100
const OPEN_ATTRIBUTES = 3
const PRICE = ['minPrice', 'maxPrice'] as const

type Change = (change: Search) => void

/** Facets of a list. What is chosen is in the address. */
export function Filters(props: { facets: Schemas['Facets']; scope: Scope; search: Search; onChange: Change }) {
  const { facets, scope, search, onChange } = props
  const brandIds = search.brandId?.[0]?.split(',') ?? []
  const categoryId = search.categoryId?.[0]
  return (
    <>
      <label className={css.choice}>
        <input
          type="checkbox"
          checked={search.inStock?.[0] === 'true'}
          onChange={({ target }) => onChange({ inStock: target.checked ? ['true'] : undefined })}
        />
        <span>{t.inStock}</span>
      </label>
      {facets.price !== null && (
        <RangeFilter label={t.price} names={PRICE} range={facets.price} search={search} onChange={onChange} />
      )}
      {!('categorySlug' in scope) && facets.categories.length > 0 && (
        <Group name={t.category} isOpen>
          <select
            aria-label={t.category}
            className={css.select}
            value={categoryId ?? ''}
            onChange={({ target }) => onChange({ categoryId: target.value === '' ? undefined : [target.value] })}
          >
            <option value="">{t.allCategories}</option>
            {facets.categories.map(({ id, name, count }) => (
              <option key={id} value={id}>
                {name} ({formatNumber(count)})
              </option>
            ))}
          </select>
        </Group>
      )}
      {!('brandId' in scope) && facets.brands.length > 0 && (
        <Group name={t.brand} isOpen>
          <Choices
            values={facets.brands.map(({ id, name, count }) => ({ value: String(id), label: name, count }))}
            chosen={brandIds}
            onChange={(ids) => onChange({ brandId: ids.length === 0 ? undefined : [ids.join(',')] })}
          />
        </Group>
      )}
      {facets.attributes.map(({ name, unit, min, max, values }, index) => {
        const label = unit === null ? name : `${name}, ${unit}`
        const chosen = search[`attr.${name}`] ?? []
        if (min !== null && max !== null && values.length > SHORT_LIST && chosen.length === 0) {
          const names = [`attr.${name}.min`, `attr.${name}.max`] as const
          return (
            <RangeFilter
              key={name}
              label={label}
              names={names}
              range={{ min, max }}
              search={search}
              onChange={onChange}
            />
          )
        }
        return (
          <Group key={name} name={label} isOpen={index < OPEN_ATTRIBUTES || chosen.length > 0}>
            <Choices
              values={values.map(({ value, count }) => ({ value, label: value, count }))}
              chosen={chosen}
              onChange={(next) => onChange({ [`attr.${name}`]: next.length === 0 ? undefined : next })}
            />
          </Group>
        )
      })}
    </>
  )
}

function Group({ name, isOpen, children }: { name: string; isOpen: boolean; children: React.ReactNode }) {
  return (
    <details className={css.group} open={isOpen}>
      <summary>{name}</summary>
      {children}
    </details>
  )
}

type RangeProps = {
  label: string
  names: readonly [min: string, max: string]
  range: { min: number; max: number }
  search: Search
  onChange: Change
}

function RangeFilter({ label, names, range, search, onChange }: RangeProps) {
  const [min, max] = names.map((name) => search[name]?.[0] ?? '')
  const isFine = range.max < FINE_BELOW
  function apply(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    const values = new FormData(event.currentTarget).getAll('bound').map((value) => String(value).replace(',', '.'))
    onChange(Object.fromEntries(names.map((name, index) => [name, values[index] ? [values[index]] : undefined])))
  }
  return (
    // Its fields follow the address.
    <form key={`${min} ${max}`} className={css.group} onSubmit={apply}>
      <fieldset className={css.price}>
        <legend>{label}</legend>
        <input
          name="bound"
          inputMode="decimal"
          aria-label={`${label} ${t.from}`}
          placeholder={`${t.from} ${formatNumber(isFine ? range.min : Math.floor(range.min))}`}
          defaultValue={min}
        />
        <input
          name="bound"
          inputMode="decimal"
          aria-label={`${label} ${t.to}`}
          placeholder={`${t.to} ${formatNumber(isFine ? range.max : Math.ceil(range.max))}`}
          defaultValue={max}
        />
        <button type="submit" className={css.apply}>
          OK
        </button>
      </fieldset>
    </form>
  )
}

type Value = { value: string; label: string; count: number }

/** Several of many values; the most frequent are first. */
function Choices(props: { values: Value[]; chosen: readonly string[]; onChange: (chosen: string[]) => void }) {
  const { values, chosen, onChange } = props
  const [showsAll, setShowsAll] = useState(false)
  const isShort = showsAll || values.length <= SHORT_LIST + 2
  const shown = isShort ? values : values.filter(({ value }, index) => index < SHORT_LIST || chosen.includes(value))
  const toggle = (value: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    <>
      {shown.map(({ value, label, count }) => (
        <label key={value} className={css.choice}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) => toggle(value, target.checked)}
          />
          <span>{label}</span>
          <span className={css.count}>{formatNumber(count)}</span>
        </label>
      ))}
      {!isShort && (
        <button type="button" className={common.link} onClick={() => setShowsAll(true)}>
          {t.showAll} ({values.length})
        </button>
      )}
    </>
  )
}
