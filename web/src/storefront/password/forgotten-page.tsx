import { useMutation } from '@tanstack/react-query'
import { line } from '../../ui/form-data.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, Form } from '../frame/form.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { t } from './text.ts'

export function ForgottenPage() {
  const ask = useMutation({
    mutationFn: (email: string) => done(shop.POST('/api/v1/auth/forgot-password', { body: { email } })),
  })
  return (
    <>
      <PageHead title={t.forgotten} isHidden />
      <h1>{t.forgotten}</h1>
      {ask.isSuccess ? (
        <p className={common.notice} role="status">
          {t.sent}
        </p>
      ) : (
        <Form sending={ask} onSubmit={(form) => ask.mutate(line(form, 'email'))} button={t.send}>
          <Field label={t.email} name="email" type="email" autoComplete="email" required hint={t.emailHint} />
        </Form>
      )}
    </>
  )
}
