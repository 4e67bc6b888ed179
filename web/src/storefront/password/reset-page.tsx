import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SubmitEvent } from 'react'
import { ApiFailure, fieldFaults } from '../../api/failure.ts'
import { useFilters } from '../address.ts'
import { done, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field } from '../frame/field.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { FailureNote } from '../frame/states.tsx'
import { t } from './text.ts'

/** Where the mailed link leads. */
export function ResetPage() {
  const [search] = useFilters()
  const token = search.token?.[0] ?? ''
  const reset = useMutation({
    mutationFn: (password: string) => done(shop.POST('/api/v1/auth/reset-password', { body: { token, password } })),
  })
  const isExpired = reset.error instanceof ApiFailure && reset.error.code === 'RESET_TOKEN_INVALID'

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    reset.mutate(String(new FormData(event.currentTarget).get('password')))
  }

  return (
    <>
      <PageHead title={t.reset} isHidden />
      <h1>{t.reset}</h1>
      {reset.isSuccess ? (
        <p className={common.notice} role="status">
          {t.changed} <Link to="/account">{t.signIn}</Link>
        </p>
      ) : (
        <form className={common.narrow} onSubmit={submit} noValidate>
          <Field
            label={t.password}
            name="password"
            type="password"
            autoComplete="new-password"
            required
            hint={t.passwordHint}
            fault={fieldFaults(reset.error).password}
          />
          {reset.error && <FailureNote error={reset.error} />}
          {isExpired && <Link to="/forgot-password">{t.askAgain}</Link>}
          <button type="submit" className={common.primary} disabled={reset.isPending}>
            {t.save}
          </button>
        </form>
      )}
    </>
  )
}
