import { useQuery } from '@tanstack/react-query'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { checked, line, text } from '../../ui/form-data.ts'
import { Panel, Small } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { t } from './text.ts'

/** Rules for the supplier's attributes. */
export function AttributeRules() {
  const rules = useQuery({
    queryKey: ['attributes', 'rules'],
    queryFn: () => got(api.GET('/api/v1/admin/attribute-rules')),
  })
  const editor = useEditor<Schemas['AttributeRule']>({
    add: t.newRule,
    nameOf: ({ alias }) => alias,
    remove: (params) => done(api.DELETE('/api/v1/admin/attribute-rules/{id}', { params })),
    form: (rule, close) => (
      <RecordForm
        record={rule}
        read={{ alias: line, name: text, ignore: checked }}
        create={(body) => got(api.POST('/api/v1/admin/attribute-rules', { body }))}
        update={(body, params) => got(api.PUT('/api/v1/admin/attribute-rules/{id}', { params, body }))}
        onSaved={close}
      >
        <TextField name="alias" label={t.alias} defaultValue={rule?.alias} autoFocus />
        <TextField name="name" label={t.shownAs} defaultValue={rule?.name} />
        <CheckField name="ignore" label={t.ignore} defaultSelected={rule?.ignore ?? false} />
      </RecordForm>
    ),
  })
  return (
    <Panel title={t.rules} actions={editor.button}>
      <Small>{t.rulesHint}</Small>
      <List
        label={t.rules}
        query={rules}
        editor={editor}
        empty={t.noRules}
        columns={[
          { head: t.alias, cell: ({ alias }) => alias },
          { head: t.shownAs, cell: ({ name, ignore }) => (ignore ? t.ignore : name) },
        ]}
      />
    </Panel>
  )
}
