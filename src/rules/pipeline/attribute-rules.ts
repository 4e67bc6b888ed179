import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

type RuleInput = { alias: string; name?: string | null; ignore?: boolean }

/**
 * Reads a rule from staff, with names normalized like those of the feed: on one line, in Unicode form NFC.
 * @param present the rule to update, which supplies absent fields; null for a new one
 * @throws AppError 400 without a name, unless the attribute is ignored
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
