import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { useFaults } from '../../ui/faults.ts'
import { TextField } from '../../ui/fields.tsx'
import { line, reads } from '../../ui/form-data.ts'
import { DASH, formatNumber } from '../../ui/format.ts'
import { Facts, FailureNote, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

const readForm = reads({ email: line, phone: line })

type Person = { email: string } | { phone: string }

/** Erases a person, after it has shown what that would be. */
export function Privacy() {
  const [person, setPerson] = useState<Person | null>(null)
  const erase = useMutation({
    mutationFn: (body: Schemas['Erasure']) => got(api.POST('/api/v1/admin/privacy/erase', { body })),
    // Shown here.
    meta: { silent: true },
  })
  const { data, error, variables } = erase
  const faults = useFaults(error)
  const isDone = variables?.dryRun === false

  function find(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const { email, phone } = readForm(new FormData(event.currentTarget))
    const found = email !== '' ? { email } : { phone }
    setPerson(found)
    erase.mutate({ ...found, dryRun: true })
  }

  return (
    <>
      <PageHead title={t.privacy} />
      <p className={css.muted}>{t.hint}</p>
      <Panel>
        <Form className={css.form} onSubmit={find} {...faults} validationBehavior="aria">
          <div className={css.grid}>
            <TextField name="email" type="email" label={t.email} autoComplete="off" />
            <TextField name="phone" type="tel" label={t.phone} autoComplete="off" />
          </div>
          <div className={css.actions}>
            <Button type="submit" isDisabled={erase.isPending}>
              {t.find}
            </Button>
          </div>
        </Form>
        {error && <FailureNote error={error} />}
      </Panel>
      {data && person && (
        <Panel
          title={isDone ? t.erased : t.wouldErase}
          actions={
            !isDone && (
              <ConfirmButton
                look="danger"
                confirm={t.erase}
                question={t.eraseQuestion(Object.values(person).join())}
                isDisabled={erase.isPending}
                onConfirm={() => erase.mutate({ ...person, dryRun: false })}
              />
            )
          }
        >
          <div role="status">
            <Facts
              facts={[
                [t.finished, formatNumber(data.orders.erased)],
                [t.open, data.orders.open.length === 0 ? DASH : data.orders.open.map(toOrder)],
                [t.contacts, formatNumber(data.contacts)],
                [t.mails, formatNumber(data.mails)],
                [t.accounts, formatNumber(data.users)],
                [t.consents, formatNumber(data.consents)],
                [t.auditEntries, formatNumber(data.audit)],
              ]}
            />
          </div>
        </Panel>
      )}
    </>
  )
}

function toOrder(id: number) {
  return (
    <span key={id}>
      <Link to="/orders/$id" params={{ id: String(id) }}>
        № {id}
      </Link>{' '}
    </span>
  )
}
