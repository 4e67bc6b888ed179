import { useMutation, useQuery } from '@tanstack/react-query'
import { checked, line, reads, text } from '../../ui/form-data.ts'
import { profileQuery } from '../account/session.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { ConsentField } from '../frame/consent-field.tsx'
import { Field, Form } from '../frame/form.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Loading } from '../frame/states.tsx'
import { t } from './text.ts'

const readForm = reads({ name: line, phone: line, email: text, message: line, website: text, consent: checked })

export function ContactPage() {
  const profile = useQuery(profileQuery)
  const send = useMutation({
    mutationFn: (form: FormData) => done(shop.POST('/api/v1/contacts', { body: readForm(form) })),
  })
  if (profile.isLoading) return <Loading />
  const { name, phone, email } = profile.data ?? {}
  return (
    <>
      <PageHead title={t.contact} />
      <h1>{t.contact}</h1>
      {send.isSuccess ? (
        <p className={common.notice} role="status">
          {t.sent}
        </p>
      ) : (
        <Form sending={send} onSubmit={(form) => send.mutate(form)} button={t.send}>
          <Field label={t.name} name="name" autoComplete="name" required defaultValue={name} />
          <Field label={t.phone} name="phone" type="tel" autoComplete="tel" required defaultValue={phone} />
          <Field label={t.email} name="email" type="email" autoComplete="email" defaultValue={email} />
          <Field label={t.message} name="message" rows={5} required />
          <ConsentField />
          {/* Only programs fill it in. */}
          <input name="website" type="text" hidden tabIndex={-1} autoComplete="off" aria-hidden="true" />
        </Form>
      )}
    </>
  )
}
