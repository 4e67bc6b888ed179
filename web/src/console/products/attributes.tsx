import { api, got } from '../../api/client.ts'
import { TextField } from '../../ui/fields.tsx'
import { line } from '../../ui/form-data.ts'
import { Facts, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import type { StaffProductCard } from './staff.ts'
import { t } from './text.ts'

/** The supplier's attributes, and own ones. */
export function ProductAttributes({ product }: { product: StaffProductCard }) {
  const external = product.attributes.filter(({ source }) => source === 'EXTERNAL')
  const manual = product.attributes.filter(({ source }) => source === 'MANUAL')
  return (
    <Panel title={t.attributes}>
      <div className={css.stack}>
        {external.length > 0 && (
          <>
            <span className={css.muted}>{t.ofSupplier}</span>
            <Facts facts={external.map(({ name, value }) => [name, value])} />
          </>
        )}
        <RecordForm
          record={product}
          read={{ attributes: (form, name) => readAttributes(line(form, name)) }}
          update={({ attributes: body }, params) => got(api.PUT('/api/v1/products/{id}/attributes', { params, body }))}
        >
          <TextField
            name="attributes"
            label={t.attributes}
            hint={t.attributesHint}
            rows={4}
            defaultValue={manual.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          />
        </RecordForm>
      </div>
    </Panel>
  )
}

function readAttributes(text: string): { name: string; value: string }[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.split(':')
      return { name: name.trim(), value: rest.join(':').trim() }
    })
}
