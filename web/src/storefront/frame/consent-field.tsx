import { useSettings } from '../settings.ts'
import { t } from '../text.ts'
import common from './common.module.css'
import css from './field.module.css'
import { useFault } from './form.tsx'

/** Asks for the agreement to the privacy policy, if the shop wants it. */
export function ConsentField() {
  const fault = useFault('consent')
  if (useSettings().consent_required !== 'true') return null
  return (
    <div className={css.field}>
      <label className={common.choice}>
        <input type="checkbox" name="consent" aria-required="true" aria-invalid={fault !== undefined} />
        <span>{t.consent} *</span>
      </label>
      {fault !== undefined && <span className={css.fault}>{fault}</span>}
    </div>
  )
}
