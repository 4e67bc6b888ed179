import { queryAll } from './backups.ts'

/** All that a schema consists of, in the order of names: columns may be in any. */
export function catalogOf(url: string): Promise<object[]> {
  return queryAll(
    url,
    `with own as (
      select oid, relname, relkind, relpersistence from pg_class where relnamespace = 'public'::regnamespace
    )
    select 'table' as kind, relname::text as name, relpersistence::text as definition from own where relkind = 'r'
    union all select 'sequence', relname, '' from own where relkind = 'S'
    union all
    select 'column', own.relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod), attnotnull,
      attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid))
    from own join pg_attribute on attrelid = own.oid left join pg_attrdef on adrelid = own.oid and adnum = attnum
    where relkind = 'r' and attnum > 0 and not attisdropped
    -- PostgreSQL 18 has a constraint for each not null too, which keeps its name when its table is renamed.
    union all
    select 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select 'function', proname, pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all
    select 'text search', cfgname || ' ' || maptokentype, dictname || ' ' || coalesce(dictinitoption, '')
    from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid join pg_ts_dict d on d.oid = m.mapdict
    where cfgnamespace = 'public'::regnamespace
    order by 1, 2, 3`,
  )
}
