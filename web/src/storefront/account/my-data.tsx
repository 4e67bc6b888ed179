import { useMutation } from '@tanstack/react-query'
import { secret } from '../../ui/form-data.ts'
import { account, done, got } from '../api.ts'
import common from '../frame/common.module.css'
import { Field, Form } from '../frame/form.tsx'
import { FailureNote } from '../frame/states.tsx'
import { t } from './text.ts'

/** What the shop has of the customer: to keep, or to delete. */
export function MyData({ onDeleted }: { onDeleted: () => void }) {
  const read = useMutation({
    mutationFn: () => got(account.GET('/api/v1/auth/my-data')),
    onSuccess: (data) => save(JSON.stringify(data, null, 2)),
  })
  const remove = useMutation({
    mutationFn: (password: string) => done(account.DELETE('/api/v1/auth/profile', { body: { password } })),
    onSuccess: onDeleted,
  })
  return (
    <section className={common.stack}>
      <h2>{t.myData}</h2>
      <div>
        <button type="button" className={common.button} disabled={read.isPending} onClick={() => read.mutate()}>
          {t.download}
        </button>
      </div>
      {read.error && <FailureNote error={read.error} />}
      <details>
        <summary>{t.deleteAccount}</summary>
        <p>{t.deleteExplained}</p>
        <Form sending={remove} onSubmit={(form) => remove.mutate(secret(form, 'password'))} button={t.deleteAccount}>
          <Field label={t.currentPassword} name="password" type="password" autoComplete="off" required />
        </Form>
      </details>
    </section>
  )
}

function save(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = 'my-data.json'
  link.click()
  URL.revokeObjectURL(link.href)
}
