import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

const MIN_SEARCH_LENGTH = 2
const MAX_FOUND = 20

/** The account in which a customer sees the order. */
export function CustomerField() {
  const [typed, setTyped] = useState('')
  const search = typed.trim()
  const found = useQuery({
    queryKey: ['users', 'customers', search],
    queryFn: () =>
      got(api.GET('/api/v1/admin/users', { params: { query: { search, role: 'USER', size: MAX_FOUND } } })),
    enabled: search.length >= MIN_SEARCH_LENGTH,
  })
  const options = (found.data?.content ?? []).map(({ id, name, email }): [string, string] => [
    String(id),
    `${name}, ${email}`,
  ])
  return (
    <div className={css.grid}>
      <TextField type="search" label={t.search} placeholder={t.accountHint} value={typed} onChange={setTyped} />
      <SelectField name="customerId" label={t.account} options={[['', t.noAccount], ...options]} />
    </div>
  )
}
