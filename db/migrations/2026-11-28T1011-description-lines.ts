import { type Kysely, sql } from 'kysely'

/**
 * Writes the line breaks of plain texts that staff entered as HTML, which is what descriptions are. The sync does so with the
 * supplier's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const lines = sql`regexp_replace(description, E'[ \t\r]*\n[ \t\r]*', E'\n', 'g')`
  const html = sql`'<p>' || replace(regexp_replace(${lines}, E'\n{2,}', '</p><p>', 'g'), E'\n', '<br />') || '</p>'`
  const isText = sql`description !~ '<' and description ~ E'\n'`
  await sql`
    update products set description = ${html}
    where ${isText} and (external_id is null or 'description' = any(overrides))`.execute(db)
  await sql`update brands set description = ${html} where ${isText}`.execute(db)
}
