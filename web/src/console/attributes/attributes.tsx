import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readNumber, readText, SelectField, TextField } from '../../ui/fields.tsx'
import { useFilters } from '../../ui/filters.ts'
import { DASH, formatNumber } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, SearchField, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { AttributeRules } from './rules.tsx'
import { t } from './text.ts'

export function Attributes() {
  const attributes = useQuery({
    queryKey: ['attributes'],
    queryFn: () => got(api.GET('/api/v1/admin/attributes')),
  })
  const [{ search = '' }, setFilters] = useFilters()
  const [editing, setEditing] = useState<Schemas['Attribute'] | null>(null)
  return (
    <>
      <PageHead title={common.attributes} />
      <AttributeRules />
      <p className={css.muted}>{t.hint}</p>
      <Toolbar>
        <SearchField label={t.find} value={search} onChange={(value) => setFilters({ search: value })} />
      </Toolbar>
      <Loaded query={attributes}>
        {(all) => {
          const shown = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
          if (shown.length === 0) return <Empty>{t.none}</Empty>
          return (
            <Table label={common.attributes}>
              <thead>
                <tr>
                  <th>{common.name}</th>
                  <th data-number>{t.products}</th>
                  <th data-number>{t.values}</th>
                  <th>{t.filterable}</th>
                  <th data-number>{common.position}</th>
                  <th>{t.unit}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((attribute) => (
                  <tr key={attribute.name}>
                    <td data-main>{attribute.name}</td>
                    <td data-label={t.products} data-number>
                      {formatNumber(attribute.products)}
                    </td>
                    <td data-label={t.values} data-number>
                      {formatNumber(attribute.values)}
                    </td>
                    <td data-label={t.filterable}>
                      <Badge tone={attribute.filterable ? 'good' : 'muted'}>
                        {attribute.filterable ? common.yes : common.no}
                      </Badge>
                    </td>
                    <td data-label={common.position} data-number>
                      {formatNumber(attribute.position)}
                    </td>
                    <td data-label={t.unit}>{attribute.unit ?? DASH}</td>
                    <td data-number>
                      <Button
                        look="quiet"
                        aria-label={`${common.edit}: ${attribute.name}`}
                        onPress={() => setEditing(attribute)}
                      >
                        {common.edit}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }}
      </Loaded>
      {editing !== null && (
        <Dialog title={editing.name} isOpen onClose={() => setEditing(null)}>
          <RecordForm
            version={editing.version}
            labels={{ filterable: t.filterable, position: common.position, unit: t.unit }}
            read={(form) => ({
              filterable: form.get('filterable') === 'null' ? null : form.get('filterable') === 'true',
              position: readNumber(form, 'position'),
              unit: readText(form, 'unit'),
            })}
            save={(body, version) =>
              got(
                api.PUT('/api/v1/admin/attributes/{name}', {
                  params: { path: { name: editing.name }, header: ifMatch(version) },
                  body,
                }),
              )
            }
            onSaved={() => setEditing(null)}
          >
            <SelectField
              name="filterable"
              label={t.filterable}
              defaultValue={String(editing.filterable)}
              options={[
                ['true', common.yes],
                ['false', common.no],
                ['null', t.byValues],
              ]}
            />
            <TextField name="position" label={common.position} defaultValue={String(editing.position ?? '')} />
            <TextField name="unit" label={t.unit} defaultValue={editing.unit ?? ''} />
          </RecordForm>
        </Dialog>
      )}
    </>
  )
}
