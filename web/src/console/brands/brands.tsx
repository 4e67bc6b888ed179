import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got, type Schemas } from '../../api/client.ts'
import { TextField } from '../../ui/fields.tsx'
import { SearchFilter, useFilters } from '../../ui/filters.tsx'
import { line, number, text } from '../../ui/form-data.ts'
import { DASH, formatNumber } from '../../ui/format.ts'
import { PageHead, Thumb, Toolbar } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { ImageField } from '../images/field.tsx'
import { brandsQuery } from '../options.ts'
import { t } from './text.ts'

type Brand = Schemas['StaffBrand']

const isForStaff = (brand: object): brand is Brand => 'version' in brand

export function Brands() {
  const [{ search = '' }] = useFilters()
  const brands = useQuery({
    ...brandsQuery,
    select: (all) => all.filter(isForStaff).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
  })
  const editor = useEditor<Brand>({
    nameOf: ({ name }) => name,
    form: (brand, close) => (
      <RecordForm
        record={brand}
        read={{ name: line, slug: line, description: text, imageId: number }}
        update={(body, params) => got(api.PUT('/api/v1/admin/brands/{id}', { params, body }))}
        onSaved={close}
      >
        <TextField name="name" label={t.name} defaultValue={brand?.name} autoFocus />
        <TextField name="slug" label={t.slug} defaultValue={brand?.slug} hint={t.slugHint} />
        <TextField name="description" rows={6} label={t.description} hint="HTML" defaultValue={brand?.description} />
        <ImageField name="imageId" defaultId={brand?.imageId ?? null} />
      </RecordForm>
    ),
  })
  return (
    <>
      <PageHead title={t.brands} />
      <Toolbar>
        <SearchFilter label={t.find} />
      </Toolbar>
      <List
        label={t.brands}
        query={brands}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.image, type: 'image', cell: ({ imageUrl }) => <Thumb url={imageUrl} /> },
          { head: t.name, cell: ({ name }) => name },
          { head: t.slug, cell: ({ slug }) => slug },
          { head: t.supplierName, cell: ({ supplierName }) => supplierName ?? DASH },
          {
            head: t.products,
            type: 'number',
            cell: ({ id, productCount }) => (
              <Link to="/products" search={{ brandId: String(id) }}>
                {formatNumber(productCount)}
              </Link>
            ),
          },
        ]}
      />
    </>
  )
}
