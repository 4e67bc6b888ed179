import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiFailure } from '../../api/failure.ts'
import { checked, line, reads, secret, text } from '../../ui/form-data.ts'
import { got, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { ConsentField } from '../frame/consent-field.tsx'
import { Field, Form } from '../frame/form.tsx'
import { useSession } from './session.ts'
import { t } from './text.ts'

const readForm = reads({ name: line, email: line, password: secret, consent: checked })

const lacksCode = (error: unknown) => error instanceof ApiFailure && error.code === 'TOTP_REQUIRED'

/** Signs in, or registers. */
export function SignIn() {
  const [isNew, setNew] = useState(false)
  const [needsCode, setNeedsCode] = useState(false)
  const { begin } = useSession(null)
  const session = useMutation({
    mutationFn: (form: FormData) => {
      const { email, password, ...rest } = readForm(form)
      const code = text(form, 'code') ?? undefined
      return isNew
        ? got(shop.POST('/api/v1/auth/register', { body: { email, password, ...rest } }))
        : got(shop.POST('/api/v1/auth/login', { body: { email, password, code } }))
    },
    onSuccess: ({ token }) => begin(token),
    onError: (error) => setNeedsCode(needsCode || lacksCode(error)),
  })
  const isWrong = session.error instanceof ApiFailure && session.error.status === 401
  const wrong = isWrong ? (
    <p role="alert" className={common.fault}>
      {lacksCode(session.error) ? t.codeHint : t.wrong}
    </p>
  ) : undefined
  return (
    <>
      <h1>{isNew ? t.register : t.signIn}</h1>
      <Form
        sending={session}
        onSubmit={(form) => session.mutate(form)}
        button={isNew ? t.registerButton : t.signInButton}
        failure={wrong}
      >
        {isNew && <Field label={t.name} name="name" autoComplete="name" required />}
        <Field label={t.email} name="email" type="email" autoComplete="email" required />
        <Field
          label={t.password}
          name="password"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          hint={isNew ? t.passwordHint : undefined}
        />
        {needsCode && !isNew && <Field label={t.code} name="code" autoComplete="one-time-code" hint={t.codeHint} />}
        {isNew && <ConsentField />}
      </Form>
      <p className={common.row}>
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
      </p>
    </>
  )
}
