import { NewSetting, Setting, SettingChange, SettingParams } from '../../src/schemas/settings.ts'
import { getRecord, recordUseCases } from '../../src/services/records.ts'
import { checkSettingFields, SETTINGS } from '../../src/services/settings/settings.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Contract sections 2 and 7. */
export const settingAdminRoutes = routes('ADMIN', (app) => {
  recordRoutes(app, {
    name: 'setting',
    schemas: { record: Setting, input: NewSetting, change: SettingChange, params: SettingParams },
    check: checkSettingFields,
    notes: {
      list: 'By key, private ones included.',
      create: 'For keys that a storefront defines; the documented ones exist already.',
      update: 'Takes effect at once, on every instance.',
      delete: 'A documented setting returns to its default.',
    },
    conflicts: { create: ['KEY_TAKEN'] },
    get: (deps, key) => getRecord(deps, SETTINGS, key),
    ...recordUseCases(SETTINGS),
  })
})
