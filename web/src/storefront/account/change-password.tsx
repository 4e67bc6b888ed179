import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { fieldFaults } from '../../api/failure.ts'
import { account, got, writeToken } from '../api.ts'
import common from '../frame/common.module.css'
import { Field } from '../frame/field.tsx'
import { FailureNote } from '../frame/states.tsx'
import { t } from './text.ts'

export function ChangePassword() {
  const change = useMutation({
    mutationFn: (form: FormData) => {
      const body = {
        currentPassword: String(form.get('currentPassword')),
        newPassword: String(form.get('newPassword')),
      }
      return got(account.PUT('/api/v1/auth/change-password', { body }))
    },
    // Other sessions end; this one goes on with another token.
    onSuccess: ({ token }) => writeToken(token),
  })
  const faults = fieldFaults(change.error)

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = event.currentTarget
    change.mutate(new FormData(form), { onSuccess: () => form.reset() })
  }

  return (
    <form className={common.narrow} onSubmit={submit} noValidate>
      <h2>{t.changePassword}</h2>
      <Field
        label={t.currentPassword}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        required
        fault={faults.currentPassword}
      />
      <Field
        label={t.newPassword}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        required
        hint={t.passwordHint}
        fault={faults.newPassword}
      />
      {change.error && <FailureNote error={change.error} />}
      {change.isSuccess && <p role="status">{t.saved}</p>}
      <button type="submit" className={common.button} disabled={change.isPending}>
        {t.save}
      </button>
    </form>
  )
}
