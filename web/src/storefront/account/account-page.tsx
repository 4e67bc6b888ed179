import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { line, reads, secret, text } from '../../ui/form-data.ts'
import { account, got, type Schemas, writeToken } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, Form } from '../frame/form.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import css from './account.module.css'
import { MyData } from './my-data.tsx'
import { MyOrders } from './my-orders.tsx'
import { profileQuery, useSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { t } from './text.ts'

export function AccountPage() {
  const { data, error, refetch } = useQuery(profileQuery)
  const { end } = useSession(data ?? null)
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <PageHead title={t.account} isHidden />
      {data === null ? (
        <SignIn />
      ) : (
        <>
          <div className={css.head}>
            <h1>{data.name}</h1>
            <button type="button" className={common.button} onClick={end}>
              {t.signOut}
            </button>
          </div>
          <div className={css.page}>
            <MyOrders />
            <div className={common.stack}>
              <ProfileForm profile={data} />
              <ChangePassword />
              <MyData onDeleted={end} />
            </div>
          </div>
        </>
      )}
    </>
  )
}

const readProfile = reads({ name: line, phone: text })

function ProfileForm({ profile }: { profile: Schemas['Profile'] }) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (form: FormData) => got(account.PUT('/api/v1/auth/profile', { body: readProfile(form) })),
    onSuccess: (saved) => client.setQueryData(['profile'], saved),
  })
  return (
    <Form sending={save} onSubmit={(form) => save.mutate(form)} button={t.save} isQuiet>
      <h2>{t.profile}</h2>
      <span className={common.muted}>{profile.email}</span>
      <Field label={t.name} name="name" autoComplete="name" required defaultValue={profile.name} />
      <Field label={t.phone} name="phone" type="tel" autoComplete="tel" defaultValue={profile.phone} />
      {save.isSuccess && <p role="status">{t.saved}</p>}
    </Form>
  )
}

const readPasswords = reads({ currentPassword: secret, newPassword: secret })

function ChangePassword() {
  const change = useMutation({
    mutationFn: (form: FormData) => got(account.PUT('/api/v1/auth/change-password', { body: readPasswords(form) })),
    // Other sessions end; this one goes on with another token.
    onSuccess: ({ token }) => writeToken(token),
  })
  const submit = (form: FormData, element: HTMLFormElement) => change.mutate(form, { onSuccess: () => element.reset() })
  const shared = { type: 'password', required: true }
  return (
    <Form sending={change} onSubmit={submit} button={t.save} isQuiet>
      <h2>{t.password}</h2>
      <Field {...shared} label={t.currentPassword} name="currentPassword" autoComplete="current-password" />
      <Field {...shared} label={t.newPassword} name="newPassword" autoComplete="new-password" hint={t.passwordHint} />
      {change.isSuccess && <p role="status">{t.saved}</p>}
    </Form>
  )
}
