import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { ConfirmButton } from '../../ui/button.tsx'
import { readText, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.ts'
import { DASH, formatTime } from '../../ui/format.ts'
import { Facts, PageHead, Panel } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { CONTACT_STATUSES } from './list.tsx'
import { t } from './text.ts'

type Contact = Schemas['ContactRequest']

export function ContactPage() {
  const { id } = useParams({ strict: false })
  const contact = useQuery({
    queryKey: ['contacts', 'one', id],
    queryFn: () => got(api.GET('/api/v1/admin/contacts/{id}', { params: { path: { id: Number(id) } } })),
  })
  return <Loaded query={contact}>{(read) => <ContactView contact={read} />}</Loaded>
}

function ContactView({ contact }: { contact: Contact }) {
  const navigate = useNavigate()
  const { id, version } = contact
  const path = { id }
  const setStatus = useMutation({
    mutationFn: (status: Contact['status']) =>
      got(
        api.PUT('/api/v1/admin/contacts/{id}/status', { params: { path, header: ifMatch(version) }, body: { status } }),
      ),
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/v1/admin/contacts/{id}', { params: { path, header: ifMatch(version) } })),
    onSuccess: () => navigate({ to: '/contacts' }),
  })
  return (
    <>
      <PageHead title={contact.name}>
        <ConfirmButton
          look="danger"
          confirm={common.remove}
          question={common.removeQuestion(contact.name)}
          onConfirm={() => remove.mutate()}
        >
          {common.remove}
        </ConfirmButton>
      </PageHead>
      <div className={css.columns}>
        <Panel title={t.message}>
          <p className={css.pre}>{contact.message}</p>
        </Panel>
        <div>
          <Panel>
            <div className={css.stack}>
              <SelectField
                label={common.status}
                value={contact.status}
                options={CONTACT_STATUSES.map((one) => [one, common.contactStatus[one]])}
                onChange={(value) => {
                  const status = oneOf(CONTACT_STATUSES, value)
                  if (status !== undefined) setStatus.mutate(status)
                }}
              />
              <Facts
                facts={[
                  [
                    t.phone,
                    <a key="phone" href={`tel:${contact.phone}`}>
                      {contact.phone}
                    </a>,
                  ],
                  [
                    common.email,
                    contact.email ? (
                      <a key="email" href={`mailto:${contact.email}`}>
                        {contact.email}
                      </a>
                    ) : (
                      DASH
                    ),
                  ],
                  [t.received, formatTime(contact.createdAt)],
                ]}
              />
            </div>
          </Panel>
          <Panel title={t.notes}>
            <RecordForm
              version={version}
              labels={{ notes: t.notes }}
              read={(form) => ({ notes: readText(form, 'notes') })}
              save={(body, seen) =>
                got(api.PUT('/api/v1/admin/contacts/{id}/notes', { params: { path, header: ifMatch(seen) }, body }))
              }
            >
              <TextField name="notes" label={t.notes} rows={5} defaultValue={contact.notes ?? ''} />
            </RecordForm>
          </Panel>
        </div>
      </div>
    </>
  )
}
