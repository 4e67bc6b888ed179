/** A text as a pattern of LIKE that matches nothing but itself. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
