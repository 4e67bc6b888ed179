import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { checked, line } from '../../ui/form-data.ts'
import { formatNumber } from '../../ui/format.ts'
import { ActiveBadge, Panel } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { t } from './text.ts'

type Filter = Schemas['CategoryFilter']

/** Rules that hide categories by their name or path. */
export function CategoryFilters() {
  const filters = useQuery({
    queryKey: ['categories', 'filters'],
    queryFn: () => got(api.GET('/api/v1/admin/category-filters')),
  })
  const editor = useEditor<Filter>({
    add: t.newFilter,
    nameOf: ({ pattern }) => pattern,
    remove: (params) => done(api.DELETE('/api/v1/admin/category-filters/{id}', { params })),
    form: (filter, close) => <FilterForm filter={filter} onSaved={close} />,
  })
  return (
    <Panel title={t.filters} actions={editor.button}>
      <List
        label={t.filters}
        query={filters}
        editor={editor}
        empty={t.noFilters}
        columns={[
          { head: t.pattern, cell: ({ pattern }) => <code>{pattern}</code> },
          { head: t.target, cell: ({ target }) => t.targets[target] },
          { head: t.status, cell: ({ active }) => <ActiveBadge isActive={active} /> },
        ]}
      />
    </Panel>
  )
}

function FilterForm({ filter, onSaved }: { filter: Filter | null; onSaved: () => void }) {
  const [pattern, setPattern] = useState(filter?.pattern ?? '')
  const [target, setTarget] = useState<Filter['target']>(filter?.target ?? 'name')
  const test = useMutation({
    mutationFn: () => got(api.POST('/api/v1/admin/category-filters/test', { body: { pattern, target } })),
  })
  return (
    <RecordForm
      record={filter}
      read={{ pattern: line, target: () => target, active: checked }}
      create={(body) => got(api.POST('/api/v1/admin/category-filters', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/admin/category-filters/{id}', { params, body }))}
      onSaved={onSaved}
      actions={
        <Button isPending={test.isPending} onPress={() => test.mutate()}>
          {t.test}
        </Button>
      }
    >
      <TextField name="pattern" label={t.pattern} value={pattern} onChange={setPattern} autoFocus />
      <SelectField
        name="target"
        label={t.target}
        value={target}
        options={Object.entries(t.targets)}
        onChange={(value) => setTarget(value === 'path' ? 'path' : 'name')}
      />
      <CheckField name="active" label={t.active} defaultSelected={filter?.active ?? true} />
      {test.data && (
        <div role="status">
          {test.data.count === 0 ? t.wouldHideNone : t.wouldHide(formatNumber(test.data.count))}
          <ul>
            {test.data.categories.slice(0, 20).map(({ id, path }) => (
              <li key={id}>{path}</li>
            ))}
          </ul>
        </div>
      )}
    </RecordForm>
  )
}
