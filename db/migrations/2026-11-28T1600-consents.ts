import { type Kysely, sql } from 'kysely'

/** Who agreed to which version of the privacy policy. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // phone_key is that of src/rules/phone.ts.
  await sql`
    create function email_key(email text) returns text
    language sql immutable strict parallel safe return lower(trim(email) collate "und-x-icu");
    create function phone_key(phone text) returns text
    language sql immutable strict parallel safe
    begin atomic
      select case
        when plain like '+%' then digits
        when digits ~ '^8[0-9]{10}$' then '7' || substr(digits, 2)
        when digits ~ '^9[0-9]{9}$' then '7' || digits
        else digits end
      from (select fold(phone) as plain, regexp_replace(fold(phone), '[^0-9]', '', 'g') as digits) as folded;
    end`.execute(db)

  await sql`
    create table consents (
      id int generated always as identity primary key,
      kind text not null check (kind in ('REGISTRATION', 'ORDER', 'CONTACT')),
      email text,
      phone text,
      policy_version text not null,
      given_at timestamptz not null default now(),
      network text not null
    );
    create index consents_email on consents (email_key(email));
    create index consents_phone on consents (phone_key(phone));
    create index consents_given_at on consents (given_at)`.execute(db)

  await sql`
    insert into app_config (key, value, description, is_public) values
      ('consent_required', 'false', 'Whether registrations, orders and contact requests need consent: true', true),
      ('privacy_policy_version', '', 'Version of the privacy policy that a consent is stored with; empty: consents are stored only if required', true)
    on conflict do nothing`.execute(db)
}
