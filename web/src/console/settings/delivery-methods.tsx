import { useContext, useState } from 'react'
import { FormValidationContext } from 'react-aria-components'
import { Button } from '../../ui/button.tsx'
import { type DeliveryMethod, readDeliveryMethods } from '../../ui/delivery.ts'
import { TextField } from '../../ui/fields.tsx'
import { line, number, text } from '../../ui/form-data.ts'
import { Small } from '../../ui/list.tsx'
import css from './settings.module.css'
import { t } from './text.ts'

type Row = Partial<DeliveryMethod> & { id: number }
type Props = { name: string; hint: string; defaultValue: string }

/** A row for each method. Its fields have the names by which the API calls a fault: `delivery_methods.0.code`. */
export function DeliveryMethods({ name, hint, defaultValue }: Props) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    readDeliveryMethods(defaultValue).map((method, id) => ({ ...method, id })),
  )
  const faults = useContext(FormValidationContext)
  // A fault names the place of a row, where another one may be now.
  const [outdated, setOutdated] = useState<unknown>(null)
  function change(next: readonly Row[]): void {
    setRows(next)
    setOutdated(faults)
  }
  const add = () => change([...rows, { id: Math.max(0, ...rows.map(({ id }) => id)) + 1 }])
  const raise = (row: Row, index: number) => change(rows.toSpliced(index, 1).toSpliced(index - 1, 0, row))
  return (
    <fieldset className={css.methods}>
      <legend>{t.methods}</legend>
      <Small>{t.methodsHint}</Small>
      <FormValidationContext value={outdated === faults ? {} : faults}>
        {rows.map((row, index) => (
          <fieldset key={row.id} aria-label={`${t.method} ${index + 1}`} className={css.method}>
            <TextField name={`${name}.${index}.name`} label={t.name} defaultValue={row.name} />
            <TextField name={`${name}.${index}.code`} label={t.code} defaultValue={row.code} />
            <TextField name={`${name}.${index}.price`} label={t.price} defaultValue={row.price} />
            <TextField
              name={`${name}.${index}.freeFrom`}
              label={t.freeFrom}
              placeholder={t.never}
              defaultValue={row.freeFrom}
            />
            <div className={css.buttons}>
              <Button look="quiet" aria-label={t.raise} isDisabled={index === 0} onPress={() => raise(row, index)}>
                ↑
              </Button>
              <Button look="quiet" aria-label={t.remove} onPress={() => change(rows.filter((one) => one !== row))}>
                ✕
              </Button>
            </div>
          </fieldset>
        ))}
      </FormValidationContext>
      <div>
        <Button onPress={add}>{t.addMethod}</Button>
      </div>
      <Small>{hint}</Small>
    </fieldset>
  )
}

/** The setting as the rows say it. What isn't a number stays as it was typed, and the API finds it. */
export function deliveryMethods(form: FormData, name: string): string {
  const amount = (field: string) => {
    const value = number(form, field)
    return Number.isNaN(value) ? text(form, field) : value
  }
  const methods = []
  for (let row = `${name}.0`; form.has(`${row}.code`); row = `${name}.${methods.length}`) {
    methods.push({
      code: line(form, `${row}.code`),
      name: line(form, `${row}.name`),
      price: amount(`${row}.price`),
      freeFrom: amount(`${row}.freeFrom`),
    })
  }
  return JSON.stringify(methods)
}
