import { type FormEvent, useMemo, useState } from 'react'
import { fieldFaults } from '../api/failure.ts'

/**
 * The faults that stand beside the fields of a form. One is gone as soon as its field is typed into: if it went when the field is left,
 * the button below would move away under the click that leaves it.
 */
export function useFaults(error: unknown) {
  const [corrected, setCorrected] = useState<{ error: unknown; names: readonly string[] }>({ error, names: [] })
  const validationErrors = useMemo(() => {
    const names = corrected.error === error ? corrected.names : []
    return Object.fromEntries(Object.entries(fieldFaults(error)).filter(([name]) => !names.includes(name)))
  }, [error, corrected])
  function onInput({ target }: FormEvent<HTMLFormElement>): void {
    if (!('name' in target) || !(String(target.name) in validationErrors)) return
    const names = corrected.error === error ? corrected.names : []
    setCorrected({ error, names: [...names, String(target.name)] })
  }
  return { validationErrors, onInput }
}
