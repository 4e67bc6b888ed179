import { type Kysely, sql } from 'kysely'

/** Finds what is kept of a person, by email or phone, and lets orders live on without their customers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // An erased order has no phone.
  // contract: search_text is replaced in the same transaction
  await sql`
    alter table orders alter column customer_phone drop not null, drop column search_text;
    alter table orders add column search_text text not null generated always as (replace(lower((
      case when id < 1000000 then lpad(id::text, 6, '0') else id::text end
      || ' ' || customer_name || ' ' || coalesce(customer_phone, '') || ' ' || coalesce(customer_email, '')
      || ' ' || regexp_replace(coalesce(customer_phone, ''), '[^0-9]', '', 'g')) collate "und-x-icu"), 'ё', 'е')) stored;
    create index orders_search_text on orders using gin (fold(search_text) gin_trgm_ops);
    create index orders_email on orders (email_key(customer_email)) where customer_email is not null;
    create index orders_phone on orders (phone_key(customer_phone)) where customer_phone is not null;
    create index orders_personal on orders (created_at) where customer_phone is not null`.execute(db)
  await sql`
    create index contact_requests_email on contact_requests (email_key(email)) where email is not null;
    create index contact_requests_phone on contact_requests (phone_key(phone));
    create index users_phone on users (phone_key(phone)) where phone is not null`.execute(db)

  // Mails say what they are about; earlier ones in their subjects.
  await sql`
    alter table mails add column order_id int, add column contact_id int;
    update mails set
      order_id = substring(subject from '(?:[Зз]аказ|[Oo]rder) (?:№ )?([0-9]{6,9})')::int,
      contact_id = substring(subject from '^(?:Новое обращение №|New message) ([0-9]{1,9})')::int;
    create index mails_order on mails (order_id) where order_id is not null;
    create index mails_contact on mails (contact_id) where contact_id is not null;
    create index mails_recipient on mails (email_key(recipient))`.execute(db)

  // Whom a record in JSON is about.
  await sql`
    create function person_keys(record jsonb) returns text[]
    language sql immutable strict parallel safe return array_remove(array_remove(array[
      email_key(record ->> 'email'), email_key(record ->> 'customerEmail'), email_key(record ->> 'recipient'),
      email_key(record #>> '{customer,email}'), phone_key(record ->> 'phone'), phone_key(record ->> 'customerPhone')],
      null), '');
    create index audit_log_person on audit_log using gin ((person_keys(before) || person_keys(after)))
      where entity in ('ORDER', 'CONTACT', 'USER', 'MAIL', 'LOGIN_BLOCK');
    -- The reference to a deleted account is cleared.
    create index order_history_user on order_history (user_id) where user_id is not null;
    create index order_history_person on order_history using gin ((person_keys(before) || person_keys(after)))
      where after is not null;
    create index webhook_deliveries_person on webhook_deliveries using gin (person_keys(body::jsonb -> 'data'))
      where event in ('order.created', 'order.status_changed', 'contact.created');
    create index webhook_deliveries_record on webhook_deliveries ((body::jsonb #>> '{data,id}'))
      where event in ('order.created', 'order.status_changed', 'contact.created')`.execute(db)

  await sql`
    insert into app_config (key, value, description) values
      ('order_personal_days', '0', 'Days after the last change of a finished order until its customer is erased; 0 is never'),
      ('contact_personal_days', '0', 'Days after the last change of a contact request until it is deleted; 0 is never'),
      ('job_privacy_retention_enabled', 'true', 'Whether the job privacy-retention runs on its schedule')
    on conflict do nothing`.execute(db)
}
