import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Badge, Panel, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Filter = Schemas['CategoryFilter']

/** Rules that hide categories by their name or path. */
export function CategoryFilters() {
  const filters = useQuery({
    queryKey: ['categories', 'filters'],
    queryFn: () => got(api.GET('/api/v1/admin/category-filters')),
  })
  const [editing, setEditing] = useState<Filter | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Filter) =>
      done(api.DELETE('/api/v1/admin/category-filters/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <Panel title={t.filters} actions={<Button onPress={() => setEditing('new')}>{t.newFilter}</Button>}>
      <Loaded query={filters}>
        {(all) =>
          all.length === 0 ? (
            <p className={css.muted}>{t.noFilters}</p>
          ) : (
            <Table label={t.filters}>
              <tbody>
                {all.map((filter) => (
                  <tr key={filter.id}>
                    <td data-main>
                      <code>{filter.pattern}</code>
                    </td>
                    <td data-label={t.target}>{t.targets[filter.target]}</td>
                    <td data-label={common.status}>
                      <Badge tone={filter.active ? 'good' : 'muted'}>
                        {filter.active ? common.active : common.inactive}
                      </Badge>
                    </td>
                    <td data-number>
                      <RowActions
                        name={filter.pattern}
                        onEdit={() => setEditing(filter)}
                        onRemove={() => remove.mutate(filter)}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={t.filters} isOpen onClose={() => setEditing(null)}>
          <FilterForm filter={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
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
      version={filter?.version}
      labels={{ pattern: t.pattern, target: t.target, active: common.active }}
      read={(form) => ({ pattern, target, active: form.has('active') })}
      save={(body, version) =>
        filter === null
          ? got(api.POST('/api/v1/admin/category-filters', { body }))
          : got(
              api.PUT('/api/v1/admin/category-filters/{id}', {
                params: { path: { id: filter.id }, header: ifMatch(version) },
                body,
              }),
            )
      }
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
      <CheckField name="active" defaultSelected={filter?.active ?? true}>
        {common.active}
      </CheckField>
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
