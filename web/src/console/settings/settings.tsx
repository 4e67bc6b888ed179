import { useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { PageHead, Panel, SearchField, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Setting = Schemas['Setting']

const GROUPS = [
  'SHOP',
  'SEO',
  'CATALOGUE',
  'ORDERS',
  'CONTACTS',
  'MAILS',
  'FEEDS',
  'SUPPLIER',
  'JOBS',
  'OTHER',
] as const satisfies readonly Setting['group'][]

/** The settings of the shop, a form for each group. */
export function Settings() {
  const [filters, setFilters] = useFilters()
  const { search = '' } = filters
  const group = oneOf(GROUPS, filters.group) ?? 'SHOP'
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => got(api.GET('/api/v1/admin/config')) })
  return (
    <>
      <PageHead title={common.settings} />
      <p className={css.muted}>{t.hint}</p>
      <Toolbar>
        <SearchField label={t.find} value={search} onChange={(value) => setFilters({ search: value })} />
      </Toolbar>
      {search === '' && (
        <nav className={css.tabs} aria-label={common.settings}>
          {GROUPS.map((one) => (
            <button
              key={one}
              type="button"
              className={css.tab}
              aria-current={group === one ? 'true' : undefined}
              onClick={() => setFilters({ group: one })}
            >
              {t.groups[one]}
            </button>
          ))}
        </nav>
      )}
      <Loaded query={settings}>
        {(all) => {
          const words = search.toLowerCase()
          const shown = all.filter(({ key, description, group: own }) =>
            words === '' ? own === group : `${key} ${description}`.toLowerCase().includes(words),
          )
          if (shown.length === 0) return <Empty>{t.nothing}</Empty>
          return <SettingsForm key={`${group} ${words}`} settings={shown} />
        }}
      </Loaded>
    </>
  )
}

function SettingsForm({ settings }: { settings: readonly Setting[] }) {
  return (
    <Panel>
      <RecordForm
        submit={t.save}
        read={(form) => Object.fromEntries(settings.map(({ key }) => [key, String(form.get(key) ?? '').trim()]))}
        save={(values: Record<string, string>) => {
          const changed = settings.filter(({ key, value }) => values[key] !== value)
          const body = Object.fromEntries(changed.map(({ key }) => [key, values[key] ?? '']))
          return got(api.PATCH('/api/v1/admin/config', { body }))
        }}
      >
        {settings.map((setting) => (
          <SettingField key={setting.key} setting={setting} />
        ))}
      </RecordForm>
    </Panel>
  )
}

function SettingField({ setting }: { setting: Setting }) {
  const { key, value, type, allowed, description, min, max } = setting
  const hint = [
    key,
    (min !== null || max !== null) && t.range(min, max),
    setting.default !== null && setting.default !== '' && t.default(setting.default),
    setting.isPublic && t.public,
  ]
    .filter(Boolean)
    .join(' · ')
  if (type === 'BOOLEAN') {
    return (
      <SelectField
        name={key}
        label={description}
        hint={hint}
        defaultValue={value}
        options={[...(value === '' ? [['', '—'] as const] : []), ['true', common.yes], ['false', common.no]]}
      />
    )
  }
  if (allowed !== null) {
    return (
      <SelectField
        name={key}
        label={description}
        hint={hint}
        defaultValue={value}
        options={allowed.map((one) => [one, one])}
      />
    )
  }
  return (
    <TextField
      name={key}
      label={description || key}
      hint={hint}
      defaultValue={value}
      {...(type === 'TEMPLATE' || value.length > 80 ? { rows: 2 } : {})}
    />
  )
}
