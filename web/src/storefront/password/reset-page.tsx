import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiFailure } from '../../api/failure.ts'
import { secret } from '../../ui/form-data.ts'
import { useFilters } from '../address.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, Form } from '../frame/form.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { t } from './text.ts'

/** Where the mailed link leads. */
export function ResetPage() {
  const [search] = useFilters()
  const token = search.token?.[0] ?? ''
  const reset = useMutation({
    mutationFn: (password: string) => done(shop.POST('/api/v1/auth/reset-password', { body: { token, password } })),
  })
  const isExpired = reset.error instanceof ApiFailure && reset.error.code === 'RESET_TOKEN_INVALID'
  return (
    <>
      <PageHead title={t.reset} isHidden />
      <h1>{t.reset}</h1>
      {reset.isSuccess ? (
        <p className={common.notice} role="status">
          {t.changed} <Link to="/account">{t.signIn}</Link>
        </p>
      ) : (
        <Form sending={reset} onSubmit={(form) => reset.mutate(secret(form, 'password'))} button={t.save}>
          <Field
            label={t.reset}
            name="password"
            type="password"
            autoComplete="new-password"
            required
            hint={t.passwordHint}
          />
        </Form>
      )}
      {isExpired && <Link to="/forgot-password">{t.askAgain}</Link>}
    </>
  )
}
