import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Form } from 'react-aria-components'
import { at, type RecordParams } from '../api/client.ts'
import { ApiFailure } from '../api/failure.ts'
import { Button } from './button.tsx'
import { Conflict, differences } from './conflict.tsx'
import { useFaults } from './faults.ts'
import { type Readers, reads } from './form-data.ts'
import { FailureNote } from './list.tsx'
import { notify } from './notice.tsx'
import page from './page.module.css'
import { t } from './text.ts'

type Props<Input, Saved> = {
  /** The record that the fields show; without one the form creates it. */
  record?: { id?: number; version: number } | null
  read: Readers<Input>
  create?: (input: Input) => Promise<Saved>
  update?: (input: Input, params: RecordParams) => Promise<Saved>
  onSaved?: ((saved: Saved) => void) | undefined
  submit?: string
  children: ReactNode
  actions?: ReactNode
}

/**
 * A form that saves a record. Its fields are the browser's, and `read` says what each is. Faults stand beside their fields; if
 * somebody else has saved in between, both versions are shown.
 */
export function RecordForm<Input extends object, Saved>(props: Props<Input, Saved>) {
  const { record, read: readers, create, update, onSaved, submit = t.save, children, actions } = props
  const read = reads(readers)
  // A record that is read again doesn't change what the form was filled with.
  const [shown, setShown] = useState(record?.version)
  const form = useRef<HTMLFormElement>(null)
  const filled = useRef<object>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the form is filled with, not what is typed later
  useEffect(() => {
    if (form.current !== null) filled.current = read(new FormData(form.current))
  }, [])

  async function save(input: Input, version: number | undefined): Promise<Saved> {
    if (record && update) return update(input, at({ id: record.id ?? 0, version }))
    if (create) return create(input)
    throw new Error('This form saves nothing')
  }

  const saving = useMutation({
    mutationFn: async ({ input, seen }: { input: Input; seen: number | undefined }) => {
      try {
        return await save(input, seen)
      } catch (failure) {
        const current = failure instanceof ApiFailure && failure.status === 412 ? failure.current : undefined
        // Somebody has changed another part of the record.
        if (current === undefined || differences(filled.current, current).length > 0) throw failure
        return save(input, versionOf(current))
      }
    },
    // Shown here.
    meta: { silent: true },
    onSuccess: (saved, { input }) => {
      notify(t.saved)
      filled.current = input
      setShown(versionOf(saved) ?? shown)
      onSaved?.(saved)
    },
  })
  const { error, variables } = saving
  const faults = useFaults(error)
  const isStale = error instanceof ApiFailure && error.status === 412

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    saving.mutate({ input: read(new FormData(event.currentTarget)), seen: shown })
  }

  return (
    <Form ref={form} className={page.form} onSubmit={onSubmit} {...faults} validationBehavior="aria">
      {children}
      {error !== null && !isStale && <FailureNote error={error} />}
      <div className={page.actions}>
        {actions}
        <Button type="submit" look="primary" isPending={saving.isPending}>
          {submit}
        </Button>
      </div>
      {isStale && variables !== undefined && (
        <Conflict
          form={form.current}
          mine={variables.input}
          current={error.current ?? {}}
          onMine={() => saving.mutate({ input: variables.input, seen: versionOf(error.current) })}
          onBack={() => saving.reset()}
        />
      )}
    </Form>
  )
}

function versionOf(record: unknown): number | undefined {
  if (typeof record !== 'object' || record === null || !('version' in record)) return undefined
  return typeof record.version === 'number' ? record.version : undefined
}
