type Conditional = { headers: { 'if-match'?: string } }

/** Which record a write is meant for, and in which version (contract section 1, "Lost updates"). */
export function targetOf({ params, headers }: Conditional & { params: { id: number } }): {
  id: number
  ifMatch: string | undefined
} {
  return { id: params.id, ifMatch: headers['if-match'] }
}

/** The same of a setting, which goes by its key. */
export function settingOf({ params, headers }: Conditional & { params: { key: string } }): {
  key: string
  ifMatch: string | undefined
} {
  return { key: params.key, ifMatch: headers['if-match'] }
}
