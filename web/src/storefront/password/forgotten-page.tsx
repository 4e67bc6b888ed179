import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { fieldFaults } from '../../api/failure.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, readLine } from '../frame/field.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { FailureNote } from '../frame/states.tsx'
import { t } from './text.ts'

export function ForgottenPage() {
  const ask = useMutation({
    mutationFn: (email: string) => done(shop.POST('/api/v1/auth/forgot-password', { body: { email } })),
  })

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    ask.mutate(readLine(new FormData(event.currentTarget), 'email'))
  }

  return (
    <>
      <PageHead title={t.forgotten} isHidden />
      <h1>{t.forgotten}</h1>
      {ask.isSuccess ? (
        <p className={common.notice} role="status">
          {t.sent}
        </p>
      ) : (
        <form className={common.narrow} onSubmit={submit} noValidate>
          <Field
            label={t.email}
            name="email"
            type="email"
            autoComplete="email"
            required
            hint={t.emailHint}
            fault={fieldFaults(ask.error).email}
          />
          {ask.error && <FailureNote error={ask.error} />}
          <button type="submit" className={common.primary} disabled={ask.isPending}>
            {t.send}
          </button>
        </form>
      )}
    </>
  )
}
