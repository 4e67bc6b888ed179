import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

type RuleInput = { alias: string; name?: string | null; ignore?: boolean }

/**
 * A rule as staff wrote it, names as the feed's are read: on one line and in Unicode's form NFC.
 * @param present what the rule says now, of which what is absent stays; null for a new one
 * @throws AppError 400 when it says nothing: neither a name nor that the attribute is left out
 */
export function readAttributeRule(
  { alias, name, ignore }: RuleInput,
  present: { name: string | null; ignore: boolean } | null,
): { alias: string; name: string | null; ignore: boolean } {
  const rule = {
    alias: oneLine(alias).normalize('NFC'),
    name: name === undefined ? (present?.name ?? null) : oneLine(name ?? '').normalize('NFC') || null,
    ignore: ignore ?? present?.ignore ?? false,
  }
  if (rule.alias === '') throw invalid({ path: 'alias', message: 'must not be empty' })
  if (!rule.ignore && rule.name === null) {
    throw invalid({ path: 'name', message: 'must not be empty unless the attribute is ignored' })
  }
  return rule
}
