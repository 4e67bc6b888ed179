import { useMutation, useQueryClient } from '@tanstack/react-query'
import { encode } from 'uqr'
import { api, done, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { useFilters } from '../../ui/filters.tsx'
import { line, secret } from '../../ui/form-data.ts'
import { ActiveBadge, Panel, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t } from './text.ts'

/** The second factor of the own account. */
export function TwoFactor({ isOn }: { isOn: boolean }) {
  const client = useQueryClient()
  const [{ totp: required }] = useFilters()
  const setUp = useMutation({
    mutationFn: () => got(api.POST('/api/v1/auth/totp')),
  })
  return (
    <Panel title={t.totp} actions={<ActiveBadge isActive={isOn} />}>
      <div className={css.stack}>
        {required && !isOn && <strong role="alert">{t.totpRequired}</strong>}
        <Small>{isOn ? t.totpIsOn : t.totpHint}</Small>
        {!isOn && setUp.data === undefined && (
          <div>
            <Button look="primary" isDisabled={setUp.isPending} onPress={() => setUp.mutate()}>
              {t.setUp}
            </Button>
          </div>
        )}
        {!isOn && setUp.data && (
          <>
            <QrCode text={setUp.data.uri} />
            <p>
              {t.typeSecret}: <code>{setUp.data.secret}</code>
            </p>
            <a href={setUp.data.uri}>{t.openApp}</a>
            <strong>{t.recoveryCodes}</strong>
            <Small>{t.keepCodes}</Small>
            <pre className={css.pre}>{setUp.data.recoveryCodes.join('\n')}</pre>
            <RecordForm
              submit={t.switchOn}
              read={{ code: line }}
              create={(body) => got(api.POST('/api/v1/auth/totp/confirm', { body }))}
              onSaved={(profile) => {
                setUp.reset()
                client.setQueryData(['profile'], profile)
              }}
            >
              <TextField name="code" label={t.firstCode} autoComplete="one-time-code" inputMode="numeric" />
            </RecordForm>
          </>
        )}
        {isOn && (
          <details>
            <summary>{t.switchOff}</summary>
            <RecordForm
              submit={t.switchOff}
              read={{ password: secret, code: line }}
              create={(body) => done(api.DELETE('/api/v1/auth/totp', { body }))}
            >
              <TextField name="password" type="password" label={t.password} autoComplete="current-password" />
              <TextField name="code" label={t.code} autoComplete="one-time-code" />
            </RecordForm>
          </details>
        )}
      </div>
    </Panel>
  )
}

/** Black on white, whatever the page's colours, since not every camera reads the reverse. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 })
  const dots = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label={t.scan}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dots} fill="#000" />
    </svg>
  )
}
