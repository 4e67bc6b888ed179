import { readDeliveryMethods } from '../../ui/delivery.ts'
import common from '../frame/common.module.css'
import fields from '../frame/field.module.css'
import { Field, useFault } from '../frame/form.tsx'
import { useMoney, useSettings } from '../settings.ts'
import css from './checkout.module.css'
import { t } from './text.ts'

type Props = { value: string | null; onChange: (code: string) => void }

/** How the order gets to the customer: one of the shop's methods, or in the customer's words. */
export function DeliveryField({ value, onChange }: Props) {
  const money = useMoney()
  const fault = useFault('deliveryMethod')
  const methods = readDeliveryMethods(useSettings().delivery_methods)
  if (methods.length === 0) {
    return <Field label={t.method} name="deliveryMethod" hint={t.methodHint} defaultValue={value} />
  }
  return (
    <fieldset className={css.methods}>
      <legend>{t.method} *</legend>
      {methods.map(({ code, name, price, freeFrom }) => (
        <label key={code} className={common.choice}>
          <input
            type="radio"
            name="deliveryMethod"
            value={code}
            checked={value === code}
            onChange={() => onChange(code)}
          />
          <span>
            {name}{' '}
            <span className={common.muted}>
              {price === 0 ? t.free : money(price)}
              {price > 0 && freeFrom !== null && `, ${t.freeFrom} ${money(freeFrom)}`}
            </span>
          </span>
        </label>
      ))}
      {fault !== undefined && (
        <span className={fields.fault} role="alert">
          {fault}
        </span>
      )}
    </fieldset>
  )
}
