import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { line, number, numberOrZero } from '../../ui/form-data.ts'
import { RecordForm } from '../../ui/record-form.tsx'
import { useBrandOptions, useCategoryOptions } from '../options.ts'
import { t } from './text.ts'

/** A product made by hand, which no sync touches. Its page asks for the rest. */
export function NewProduct() {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const categories = useCategoryOptions()
  const brands = useBrandOptions()
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        {t.newProduct}
      </Button>
      <Dialog title={t.newProduct} isOpen={isOpen} onClose={() => setOpen(false)}>
        <RecordForm
          submit={t.add}
          read={{ name: line, price: number, stock: numberOrZero, categoryId: number, brandId: number }}
          create={(body) => got(api.POST('/api/v1/products', { body }))}
          onSaved={({ id }) => void navigate({ to: '/products/$id', params: { id: String(id) } })}
        >
          <TextField name="name" label={t.name} autoFocus />
          <TextField name="price" label={t.finalPrice} />
          <TextField name="stock" label={t.stock} />
          <SelectField name="categoryId" label={t.category} options={[['', t.none], ...categories]} />
          <SelectField name="brandId" label={t.brand} options={[['', t.none], ...brands]} />
        </RecordForm>
      </Dialog>
    </>
  )
}
