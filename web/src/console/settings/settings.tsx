import { useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { SearchFilter, TabFilter, useFilters } from '../../ui/filters.tsx'
import { line } from '../../ui/form-data.ts'
import { Empty, Loaded, PageHead, Panel, Toolbar } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { DeliveryMethods, deliveryMethods } from './delivery-methods.tsx'
import { t } from './text.ts'

type Setting = Schemas['Setting']

/** A list in a text, which has a row for each method. */
const METHODS = 'delivery_methods'

/** The first is shown when none is chosen. */
const GROUPS = Object.entries(t.groups).map(([group, name]) => [group === 'SHOP' ? '' : group, name] as const)

/** The settings of the shop, a form for each group. */
export function Settings() {
  const [{ search = '', group = '' }] = useFilters()
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => got(api.GET('/api/v1/admin/config')) })
  return (
    <>
      <PageHead title={t.settings} />
      <p className={css.muted}>{t.hint}</p>
      <Toolbar>
        <SearchFilter label={t.find} />
      </Toolbar>
      {search === '' && <TabFilter name="group" label={t.settings} options={GROUPS} />}
      <Loaded query={settings}>
        {(all) => {
          const words = search.toLowerCase()
          const shown = all.filter(({ key, description, group: own }) =>
            words === '' ? own === (group || 'SHOP') : `${key} ${description}`.toLowerCase().includes(words),
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
        read={Object.fromEntries(settings.map(({ key }) => [key, key === METHODS ? deliveryMethods : line]))}
        create={(values: Record<string, string>) => {
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
  const shared = { name: key, label: description || key, hint, defaultValue: value }
  if (key === METHODS) return <DeliveryMethods name={key} hint={hint} defaultValue={value} />
  if (type === 'BOOLEAN') {
    const unset: [string, string][] = value === '' ? [['', '—']] : []
    return <SelectField {...shared} options={[...unset, ['true', t.yes], ['false', t.no]]} />
  }
  if (allowed !== null) return <SelectField {...shared} options={allowed.map((one) => [one, one])} />
  return <TextField {...shared} {...(type === 'TEMPLATE' || value.length > 80 ? { rows: 2 } : {})} />
}
