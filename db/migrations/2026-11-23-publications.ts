import { type Kysely, sql } from 'kysely'

/** The feed is one of several things that are built as a whole, and some have more than one file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table yml_feeds rename to publications`,
  `alter index yml_feeds_pkey rename to publications_pkey`,
  `alter table publications rename column offers to entries`,
  `alter table publications
    add kind text not null default 'feed' check (kind in ('feed', 'sitemap')),
    add files jsonb not null default '[]'`,
  `update publications set files = jsonb_build_array(
    jsonb_build_object('name', 'yml-catalog.xml', 'size', size, 'gzipSize', gzip_size))`,
  `alter table publications
    alter kind drop default,
    alter files drop default,
    drop column excluded,
    drop column size,
    drop column gzip_size`,
  `create index publications_kind on publications (kind, id)`,

  `alter table yml_feed_chunks rename to publication_chunks`,
  `alter table publication_chunks rename column feed_id to publication_id`,
  `alter table publication_chunks rename constraint yml_feed_chunks_feed_id_fkey to publication_chunks_publication_id_fkey`,
  `alter table publication_chunks add file text not null default 'yml-catalog.xml'`,
  `alter table publication_chunks
    alter file drop default,
    drop constraint yml_feed_chunks_pkey,
    add primary key (publication_id, file, position)`,
]
