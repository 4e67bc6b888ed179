import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { fieldFaults } from '../../api/failure.ts'
import { account, got, type Schemas } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, readLine, readText } from '../frame/field.tsx'
import { FailureNote } from '../frame/states.tsx'
import { t } from './text.ts'

export function ProfileForm({ profile }: { profile: Schemas['Profile'] }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const body = { name: readLine(form, 'name'), phone: readText(form, 'phone') }
      return got(account.PUT('/api/v1/auth/profile', { body }))
    },
    onSuccess: (saved) => client.setQueryData(['profile'], saved),
  })
  const faults = fieldFaults(save.error)

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }

  return (
    <form className={common.narrow} onSubmit={submit} noValidate>
      <h2>{t.profile}</h2>
      <span className={common.muted}>{profile.email}</span>
      <Field label={t.name} name="name" autoComplete="name" required defaultValue={profile.name} fault={faults.name} />
      <Field
        label={t.phone}
        name="phone"
        type="tel"
        autoComplete="tel"
        defaultValue={profile.phone ?? ''}
        fault={faults.phone}
      />
      {save.error && <FailureNote error={save.error} />}
      {save.isSuccess && <p role="status">{t.saved}</p>}
      <button type="submit" className={common.button} disabled={save.isPending}>
        {t.save}
      </button>
    </form>
  )
}
