type Targeted = { params: { id: number }; headers: { 'if-match'?: string } }

/** Which record a write is meant for, and in which version (contract section 1, "Lost updates"). */
export function targetOf({ params, headers }: Targeted): { id: number; ifMatch: string | undefined } {
  return { id: params.id, ifMatch: headers['if-match'] }
}
