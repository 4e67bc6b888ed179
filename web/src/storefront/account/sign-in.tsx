import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiFailure } from '../../api/failure.ts'
import { line, reads, secret } from '../../ui/form-data.ts'
import { got, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, Form } from '../frame/form.tsx'
import { useSession } from './session.ts'
import { t } from './text.ts'

const readForm = reads({ email: line, password: secret, name: line })

/** Signs in, or registers. */
export function SignIn() {
  const [isNew, setNew] = useState(false)
  const { begin } = useSession(null)
  const session = useMutation({
    mutationFn: (form: FormData) => {
      const { name, ...body } = readForm(form)
      return isNew
        ? got(shop.POST('/api/v1/auth/register', { body: { ...body, name } }))
        : got(shop.POST('/api/v1/auth/login', { body }))
    },
    onSuccess: ({ token }) => begin(token),
  })
  const isWrong = session.error instanceof ApiFailure && session.error.status === 401
  const wrong = isWrong ? (
    <p role="alert" className={common.fault}>
      {t.wrong}
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
