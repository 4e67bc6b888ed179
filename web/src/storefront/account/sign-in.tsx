import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { ApiFailure, fieldFaults } from '../../api/failure.ts'
import { got, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, readLine } from '../frame/field.tsx'
import { FailureNote } from '../frame/states.tsx'
import { useSession } from './session.ts'
import { t } from './text.ts'

/** Signs in, or registers. */
export function SignIn() {
  const [isNew, setNew] = useState(false)
  const { begin } = useSession(null)
  const session = useMutation({
    mutationFn: (form: FormData) => {
      const body = { email: readLine(form, 'email'), password: String(form.get('password')) }
      return isNew
        ? got(shop.POST('/api/v1/auth/register', { body: { ...body, name: readLine(form, 'name') } }))
        : got(shop.POST('/api/v1/auth/login', { body }))
    },
    onSuccess: ({ token }) => begin(token),
  })
  const faults = fieldFaults(session.error)
  const isWrong = session.error instanceof ApiFailure && session.error.status === 401

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    session.mutate(new FormData(event.currentTarget))
  }

  return (
    <>
      <h1>{isNew ? t.register : t.signIn}</h1>
      <form className={common.narrow} onSubmit={submit} noValidate>
        {isNew && <Field label={t.name} name="name" autoComplete="name" required fault={faults.name} />}
        <Field label={t.email} name="email" type="email" autoComplete="email" required fault={faults.email} />
        <Field
          label={t.password}
          name="password"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          fault={faults.password}
          {...(isNew ? { hint: t.passwordHint } : {})}
        />
        {isWrong && (
          <p role="alert" className={common.fault}>
            {t.wrong}
          </p>
        )}
        {session.error && !isWrong && <FailureNote error={session.error} />}
        <button type="submit" className={common.primary} disabled={session.isPending}>
          {isNew ? t.registerButton : t.signInButton}
        </button>
        <div className={common.row}>
          <button
            type="button"
            className={common.link}
            onClick={() => {
              session.reset()
              setNew(!isNew)
            }}
          >
            {isNew ? t.hasAccount : t.hasNone}
          </button>
          {!isNew && <Link to="/forgot-password">{t.forgotten}</Link>}
        </div>
      </form>
    </>
  )
}
