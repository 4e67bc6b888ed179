import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, at, done, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.tsx'
import { text } from '../../ui/form-data.ts'
import { DASH, formatTime } from '../../ui/format.ts'
import { Facts, Loaded, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RemoveButton } from '../editor.tsx'
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
  const { name, phone, email, message, notes, createdAt } = contact
  const params = at(contact)
  const setStatus = useMutation({
    mutationFn: (status: Contact['status']) =>
      got(api.PUT('/api/v1/admin/contacts/{id}/status', { params, body: { status } })),
  })
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/v1/admin/contacts/{id}', { params })),
    onSuccess: () => navigate({ to: '/contacts' }),
  })
  return (
    <>
      <PageHead title={name}>
        <RemoveButton name={name} onRemove={() => remove.mutate()} />
      </PageHead>
      <div className={css.columns}>
        <Panel title={t.message}>
          <p className={css.pre}>{message}</p>
        </Panel>
        <div>
          <Panel>
            <div className={css.stack}>
              <SelectField
                label={t.status}
                value={contact.status}
                options={Object.entries(t.contactStatus)}
                onChange={(value) => setStatus.mutate(oneOf(t.contactStatus, value) ?? contact.status)}
              />
              <Facts
                facts={[
                  [t.phone, toLink('tel', phone)],
                  [t.email, email ? toLink('mailto', email) : DASH],
                  [t.received, formatTime(createdAt)],
                ]}
              />
            </div>
          </Panel>
          <Panel title={t.notes}>
            <RecordForm
              record={contact}
              read={{ notes: text }}
              update={(body, seen) => got(api.PUT('/api/v1/admin/contacts/{id}/notes', { params: seen, body }))}
            >
              <TextField name="notes" label={t.notes} rows={5} defaultValue={notes} />
            </RecordForm>
          </Panel>
        </div>
      </div>
    </>
  )
}

function toLink(scheme: string, address: string) {
  return <a href={`${scheme}:${address}`}>{address}</a>
}
