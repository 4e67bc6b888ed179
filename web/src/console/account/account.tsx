import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { startSession } from '../../api/session.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { secret } from '../../ui/form-data.ts'
import { language, switchLanguage } from '../../ui/language.ts'
import { Facts, Loaded, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { applyTheme, readTheme, THEMES } from '../theme.ts'
import { profileQuery } from '../user.ts'
import { Logins } from './logins.tsx'
import { t } from './text.ts'
import { TwoFactor } from './totp.tsx'

const LANGUAGES = [
  ['ru', 'Русский'],
  ['en', 'English'],
] as const

/** What the user sets for himself. */
export function Account() {
  const profile = useQuery(profileQuery)
  return (
    <>
      <PageHead title={t.account} />
      <Loaded query={profile}>
        {({ name, email, role, totp }) => (
          <div className={css.columns}>
            <div>
              <TwoFactor isOn={totp} />
              <Logins />
              <Panel title={t.password}>
                <RecordForm
                  submit={t.changePassword}
                  read={{ currentPassword: secret, newPassword: secret }}
                  create={(body) => got(api.PUT('/api/v1/auth/change-password', { body }))}
                  onSaved={({ token }) => startSession(token)}
                >
                  <TextField
                    name="currentPassword"
                    type="password"
                    label={t.currentPassword}
                    autoComplete="current-password"
                  />
                  <TextField
                    name="newPassword"
                    type="password"
                    label={t.newPassword}
                    hint={t.passwordHint}
                    autoComplete="new-password"
                  />
                </RecordForm>
              </Panel>
            </div>
            <div>
              <Panel title={name}>
                <Facts
                  facts={[
                    [t.email, email],
                    [t.role, t.roles[role]],
                  ]}
                />
              </Panel>
              <Appearance />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Appearance() {
  const [theme, setTheme] = useState(readTheme)
  const names = { auto: t.themeAuto, light: t.themeLight, dark: t.themeDark }
  return (
    <Panel title={t.appearance}>
      <div className={css.grid}>
        <SelectField
          label={t.theme}
          value={theme}
          options={THEMES.map((one) => [one, names[one]])}
          onChange={(value) => {
            const chosen = THEMES.find((one) => one === value) ?? 'auto'
            applyTheme(chosen)
            setTheme(chosen)
          }}
        />
        <SelectField
          label={t.language}
          value={language}
          options={LANGUAGES}
          onChange={(value) => switchLanguage(value === 'ru' ? 'ru' : 'en')}
        />
      </div>
    </Panel>
  )
}
