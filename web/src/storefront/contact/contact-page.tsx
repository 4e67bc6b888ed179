import { useMutation, useQuery } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { fieldFaults } from '../../api/failure.ts'
import { profileQuery } from '../account/profile-query.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, readLine, readText } from '../frame/field.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { FailureNote, Loading } from '../frame/states.tsx'
import { t as frame } from '../text.ts'
import { t } from './text.ts'

export function ContactPage() {
  const profile = useQuery(profileQuery)
  const send = useMutation({
    mutationFn: (form: FormData) => {
      const body = {
        name: readLine(form, 'name'),
        phone: readLine(form, 'phone'),
        email: readText(form, 'email'),
        message: readLine(form, 'message'),
        website: readText(form, 'website'),
      }
      return done(shop.POST('/api/v1/contacts', { body }))
    },
  })
  const faults = fieldFaults(send.error)

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    send.mutate(new FormData(event.currentTarget))
  }

  if (profile.isLoading) return <Loading />
  const user = profile.data
  return (
    <>
      <PageHead title={frame.contact} />
      <h1>{frame.contact}</h1>
      {send.isSuccess ? (
        <p className={common.notice} role="status">
          {t.sent}
        </p>
      ) : (
        <form className={common.narrow} onSubmit={submit} noValidate>
          <Field
            label={t.name}
            name="name"
            autoComplete="name"
            required
            defaultValue={user?.name ?? ''}
            fault={faults.name}
          />
          <Field
            label={t.phone}
            name="phone"
            type="tel"
            autoComplete="tel"
            required
            defaultValue={user?.phone ?? ''}
            fault={faults.phone}
          />
          <Field
            label={t.email}
            name="email"
            type="email"
            autoComplete="email"
            defaultValue={user?.email ?? ''}
            fault={faults.email}
          />
          <Field label={t.message} name="message" rows={5} required fault={faults.message} />
          {/* Only programs fill it in. */}
          <input name="website" type="text" hidden tabIndex={-1} autoComplete="off" aria-hidden="true" />
          {send.error && <FailureNote error={send.error} />}
          <button type="submit" className={common.primary} disabled={send.isPending}>
            {t.send}
          </button>
        </form>
      )}
    </>
  )
}
