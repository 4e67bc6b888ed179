import { useState } from 'react'
import { api, got } from '../api/client.ts'
import { startSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/fields.tsx'
import { secret } from '../ui/form-data.ts'
import { type Language, language, switchLanguage } from '../ui/language.ts'
import page from '../ui/page.module.css'
import { RecordForm } from '../ui/record-form.tsx'
import { t as texts } from './account-text.ts'
import css from './layout.module.css'
import { t } from './text.ts'
import { applyTheme, readTheme, THEMES } from './theme.ts'
import type { Profile } from './user.ts'

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['ru', 'Русский'],
  ['en', 'English'],
]

/** The user's name; behind it appearance, language, password and the way out. */
export function AccountMenu({ profile, onLogOut }: { profile: Profile; onLogOut: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [theme, setTheme] = useState(readTheme)
  const themeNames = { auto: t.themeAuto, light: t.themeLight, dark: t.themeDark }
  return (
    <>
      <Button look="quiet" onPress={() => setOpen(true)}>
        <span className={css.user}>{profile.name}</span>
      </Button>
      <Dialog title={t.account} isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className={page.stack}>
          <div>
            {profile.name} · {profile.email} · {t.roles[profile.role]}
          </div>
          <div className={page.grid}>
            <SelectField
              label={t.theme}
              value={theme}
              options={THEMES.map((one) => [one, themeNames[one]])}
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
          <details>
            <summary>{texts.changePassword}</summary>
            <RecordForm
              submit={texts.changePassword}
              read={{ currentPassword: secret, newPassword: secret }}
              create={(body) => got(api.PUT('/api/v1/auth/change-password', { body }))}
              onSaved={({ token }) => {
                startSession(token)
                setOpen(false)
              }}
            >
              <TextField
                name="currentPassword"
                type="password"
                label={texts.currentPassword}
                autoComplete="current-password"
              />
              <TextField
                name="newPassword"
                type="password"
                label={texts.newPassword}
                hint={texts.passwordHint}
                autoComplete="new-password"
              />
            </RecordForm>
          </details>
          <Button onPress={onLogOut}>{t.logOut}</Button>
        </div>
      </Dialog>
    </>
  )
}
