import { useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { SearchFilter, useFilters } from '../../ui/filters.tsx'
import { line, number, text } from '../../ui/form-data.ts'
import { DASH, formatNumber } from '../../ui/format.ts'
import { Badge, PageHead, Small, Toolbar } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { useMay } from '../user.ts'
import { AttributeRules } from './rules.tsx'
import { t } from './text.ts'

type Attribute = Schemas['Attribute']

export function Attributes() {
  const may = useMay()
  const [{ search = '' }] = useFilters()
  const attributes = useQuery({
    queryKey: ['attributes'],
    queryFn: () => got(api.GET('/api/v1/admin/attributes')),
    select: (all) => all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
  })
  const editor = useEditor<Attribute>({
    nameOf: ({ name }) => name,
    form: (attribute, close) => attribute && <AttributeForm attribute={attribute} onSaved={close} />,
  })
  return (
    <>
      <PageHead title={t.attributes} />
      {may('operations') && <AttributeRules />}
      <Small>{t.hint}</Small>
      <Toolbar>
        <SearchFilter label={t.name} />
      </Toolbar>
      <List
        label={t.attributes}
        query={attributes}
        editor={editor}
        empty={t.none}
        rowKey={({ name }) => name}
        columns={[
          { head: t.name, cell: ({ name }) => name },
          { head: t.products, type: 'number', cell: ({ products }) => formatNumber(products) },
          { head: t.values, type: 'number', cell: ({ values }) => formatNumber(values) },
          {
            head: t.filterable,
            cell: ({ filterable: isOn }) => <Badge tone={isOn ? 'good' : 'muted'}>{isOn ? t.yes : t.no}</Badge>,
          },
          { head: t.position, type: 'number', cell: ({ position }) => formatNumber(position) },
          { head: t.unit, cell: ({ unit }) => unit ?? DASH },
        ]}
      />
    </>
  )
}

function AttributeForm({ attribute, onSaved }: { attribute: Attribute; onSaved: () => void }) {
  const { name, version, filterable, position, unit } = attribute
  return (
    <RecordForm
      record={{ version }}
      read={{ filterable: (form, name) => JSON.parse(line(form, name)), position: number, unit: text }}
      update={(body, { header }) =>
        got(api.PUT('/api/v1/admin/attributes/{name}', { params: { path: { name }, header }, body }))
      }
      onSaved={onSaved}
    >
      <SelectField
        name="filterable"
        label={t.filterable}
        defaultValue={String(filterable)}
        options={[
          ['true', t.yes],
          ['false', t.no],
          ['null', t.byValues],
        ]}
      />
      <TextField name="position" label={t.position} defaultValue={position} />
      <TextField name="unit" label={t.unit} defaultValue={unit} />
    </RecordForm>
  )
}
