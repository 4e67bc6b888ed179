import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readLine, readNumber, readText, TextField } from '../../ui/fields.tsx'
import { useFilters } from '../../ui/filters.ts'
import { DASH, formatNumber } from '../../ui/format.ts'
import { Hidden, PageHead, SearchField, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { ImageField } from '../images/field.tsx'
import { t as common } from '../text.ts'
import { brandsQuery } from './options.ts'
import { t } from './text.ts'

type Brand = Schemas['StaffBrand']

const isForStaff = (brand: object): brand is Brand => 'version' in brand

export function Brands() {
  const brands = useQuery(brandsQuery)
  const [{ search = '' }, setFilters] = useFilters()
  const [editing, setEditing] = useState<Brand | null>(null)
  return (
    <>
      <PageHead title={common.brands} />
      <Toolbar>
        <SearchField label={t.find} value={search} onChange={(value) => setFilters({ search: value })} />
      </Toolbar>
      <Loaded query={brands}>
        {(all) => {
          const shown = all.filter(isForStaff).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
          if (shown.length === 0) return <Empty>{t.none}</Empty>
          return (
            <Table label={common.brands}>
              <thead>
                <tr>
                  <th>
                    <Hidden>{common.image}</Hidden>
                  </th>
                  <th>{common.name}</th>
                  <th>{common.slug}</th>
                  <th>{t.supplierName}</th>
                  <th data-number>{t.products}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((brand) => (
                  <tr key={brand.id}>
                    <td>
                      {brand.imageUrl && <img className={css.thumb} src={`${brand.imageUrl}&width=160`} alt="" />}
                    </td>
                    <td data-main>{brand.name}</td>
                    <td data-label={common.slug}>{brand.slug}</td>
                    <td data-label={t.supplierName}>{brand.supplierName ?? DASH}</td>
                    <td data-label={t.products} data-number>
                      <Link to="/products" search={{ brandId: String(brand.id) }}>
                        {formatNumber(brand.productCount)}
                      </Link>
                    </td>
                    <td data-number>
                      <Button
                        look="quiet"
                        aria-label={`${common.edit}: ${brand.name}`}
                        onPress={() => setEditing(brand)}
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
            labels={{ name: common.name, slug: common.slug, description: common.description, imageId: common.image }}
            read={(form) => ({
              name: readLine(form, 'name'),
              slug: readLine(form, 'slug'),
              description: readText(form, 'description'),
              imageId: readNumber(form, 'imageId'),
            })}
            save={(body, version) =>
              got(
                api.PUT('/api/v1/admin/brands/{id}', {
                  params: { path: { id: editing.id }, header: ifMatch(version) },
                  body,
                }),
              )
            }
            onSaved={() => setEditing(null)}
          >
            <TextField name="name" label={common.name} defaultValue={editing.name} autoFocus />
            <TextField name="slug" label={common.slug} defaultValue={editing.slug} hint={common.slugHint} />
            <TextField
              name="description"
              rows={6}
              label={common.description}
              hint={t.html}
              defaultValue={editing.description ?? ''}
            />
            <ImageField name="imageId" defaultId={editing.imageId} />
          </RecordForm>
        </Dialog>
      )}
    </>
  )
}
