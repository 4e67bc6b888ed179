import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Autocomplete, Input, Menu, MenuItem, SearchField } from 'react-aria-components'
import { api, got } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import fields from '../ui/fields.module.css'
import { menuOf } from './menu.ts'
import css from './palette.module.css'
import { t } from './text.ts'
import type { Permission } from './user.ts'

const MIN_SEARCH_LENGTH = 2
const MAX_FOUND = 6

/** Ctrl-K: finds pages and records, and goes there. */
export function Palette({ permissions }: { permissions: readonly Permission[] }) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.code !== 'KeyK') return
      event.preventDefault()
      setTyped('')
      setOpen(true)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  const search = typed.trim()
  const isSearching = isOpen && search.length >= MIN_SEARCH_LENGTH
  const orders = useQuery({
    queryKey: ['orders', 'palette', search],
    queryFn: () => got(api.GET('/api/v1/admin/orders', { params: { query: { search, size: MAX_FOUND } } })),
    enabled: isSearching && permissions.includes('orders'),
  })
  const products = useQuery({
    queryKey: ['products', 'palette', search],
    queryFn: () => got(api.GET('/api/v1/products', { params: { query: { search, size: MAX_FOUND } } })),
    enabled: isSearching && permissions.includes('products'),
  })

  const pages = menuOf(permissions)
    .flatMap(({ entries }) => entries)
    .filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()))
  const found = [
    ...pages.map(({ to, label }) => ({ to, kind: '', label })),
    ...(isSearching ? (orders.data?.content ?? []) : []).map((order) => ({
      to: `/orders/${order.id}`,
      kind: t.orders,
      label: `№ ${order.number} · ${order.customerName}`,
    })),
    ...(isSearching ? (products.data?.content ?? []) : []).map((product) => ({
      to: `/products/${product.id}`,
      kind: t.products,
      label: product.name,
    })),
  ]

  return (
    <>
      <Button onPress={() => setOpen(true)}>
        {t.find} <kbd className={css.key}>Ctrl K</kbd>
      </Button>
      <span className={css.space} />
      <Dialog title={t.findHint} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Autocomplete inputValue={typed} onInputChange={setTyped}>
          <SearchField aria-label={t.findHint} autoFocus>
            <Input className={fields.input} placeholder={t.find} />
          </SearchField>
          <Menu
            aria-label={t.findHint}
            className={css.list}
            items={found}
            renderEmptyState={() => t.nothingFound}
            onAction={(key) => {
              setOpen(false)
              void navigate({ to: String(key) })
            }}
          >
            {({ to, label, kind }) => (
              <MenuItem id={to} textValue={label} className={css.item}>
                <span>{label}</span>
                <span className={css.kind}>{kind}</span>
              </MenuItem>
            )}
          </Menu>
        </Autocomplete>
      </Dialog>
    </>
  )
}
