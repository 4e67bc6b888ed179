import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, readLine, readText, TextField } from '../../ui/fields.tsx'
import { Hidden, Panel, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { useMay } from '../user.ts'
import { t } from './text.ts'

type Rule = Schemas['AttributeRule']

/** Rules for the supplier's attributes. */
export function AttributeRules() {
  const may = useMay()
  const rules = useQuery({
    queryKey: ['attributes', 'rules'],
    queryFn: () => got(api.GET('/api/v1/admin/attribute-rules')),
    enabled: may('operations'),
  })
  const [editing, setEditing] = useState<Rule | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Rule) =>
      done(api.DELETE('/api/v1/admin/attribute-rules/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  if (!may('operations')) return null
  const rule = editing === 'new' ? null : editing
  return (
    <Panel title={t.rules} actions={<Button onPress={() => setEditing('new')}>{t.newRule}</Button>}>
      <p className={`${css.muted} ${css.small}`}>{t.rulesHint}</p>
      <Loaded query={rules}>
        {(all) =>
          all.length === 0 ? (
            <p className={css.muted}>{t.noRules}</p>
          ) : (
            <Table label={t.rules}>
              <thead>
                <tr>
                  <th>{t.alias}</th>
                  <th>{t.shownAs}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.id}>
                    <td data-main>{one.alias}</td>
                    <td data-label={t.shownAs}>{one.ignore ? t.ignore : one.name}</td>
                    <td data-number>
                      <RowActions name={one.alias} onEdit={() => setEditing(one)} onRemove={() => remove.mutate(one)} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={rule?.alias ?? t.newRule} isOpen onClose={() => setEditing(null)}>
          <RecordForm
            version={rule?.version}
            labels={{ alias: t.alias, name: t.shownAs, ignore: t.ignore }}
            read={(form) => ({
              alias: readLine(form, 'alias'),
              name: readText(form, 'name'),
              ignore: form.has('ignore'),
            })}
            save={(body, version) =>
              rule === null
                ? got(api.POST('/api/v1/admin/attribute-rules', { body }))
                : got(
                    api.PUT('/api/v1/admin/attribute-rules/{id}', {
                      params: { path: { id: rule.id }, header: ifMatch(version) },
                      body,
                    }),
                  )
            }
            onSaved={() => setEditing(null)}
          >
            <TextField name="alias" label={t.alias} defaultValue={rule?.alias ?? ''} autoFocus />
            <TextField name="name" label={t.shownAs} defaultValue={rule?.name ?? ''} />
            <CheckField name="ignore" defaultSelected={rule?.ignore ?? false}>
              {t.ignore}
            </CheckField>
          </RecordForm>
        </Dialog>
      )}
    </Panel>
  )
}
