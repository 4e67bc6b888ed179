import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api, got } from '../api/client.ts'
import { ApiFailure } from '../api/failure.ts'
import { startSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { line, reads, secret, text } from '../ui/form-data.ts'
import { FailureNote } from '../ui/list.tsx'
import css from './sign-in.module.css'
import { t } from './text.ts'

const readForm = reads({ email: line, password: secret, code: (form, name) => text(form, name) ?? undefined })

const lacksCode = (error: unknown) => error instanceof ApiFailure && error.code === 'TOTP_REQUIRED'

/** Asks for email and password, and for a code if the account wants one. @param email of the session that has ended */
export function SignInForm({ email, onSignedIn }: { email?: string | undefined; onSignedIn: () => void }) {
  const [needsCode, setNeedsCode] = useState(false)
  const signIn = useMutation({
    mutationFn: (body: ReturnType<typeof readForm>) => got(api.POST('/api/v1/auth/login', { body })),
    meta: { silent: true },
    onSuccess: ({ token }) => {
      startSession(token)
      onSignedIn()
    },
    onError: (error) => setNeedsCode(needsCode || lacksCode(error)),
  })

  return (
    <Form
      className={css.form}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate(readForm(new FormData(event.currentTarget)))
      }}
    >
      <TextField
        name="email"
        type="email"
        label={t.email}
        autoComplete="username"
        defaultValue={email ?? ''}
        autoFocus={email === undefined}
      />
      <TextField
        name="password"
        type="password"
        label={t.password}
        autoComplete="current-password"
        autoFocus={email !== undefined}
      />
      {needsCode && <TextField name="code" label={t.code} hint={t.codeHint} autoComplete="one-time-code" autoFocus />}
      {signIn.error && !lacksCode(signIn.error) && <FailureNote error={signIn.error} />}
      <Button type="submit" look="primary" isPending={signIn.isPending}>
        {t.signIn}
      </Button>
    </Form>
  )
}

/** The whole page, before anybody has logged in. */
export function SignInPage({ note, onSignedIn }: { note?: string; onSignedIn: () => void }) {
  return (
    <main className={css.page}>
      <div className={css.card}>
        <h1 className={css.title}>{t.console}</h1>
        {note && <p>{note}</p>}
        <SignInForm onSignedIn={onSignedIn} />
      </div>
    </main>
  )
}
