import { CheckField, SelectField } from '../../ui/fields.tsx'
import type { Filters } from '../../ui/filters.ts'
import { SearchField, Toolbar } from '../../ui/list.tsx'
import { useBrandOptions } from '../brands/options.ts'
import { useCategoryOptions } from '../categories/options.ts'
import { t as common } from '../text.ts'
import { t } from './text.ts'

const ALL: readonly [string, string] = ['', common.all]

export function ProductFilters({ filters, setFilters }: { filters: Filters; setFilters: (change: Filters) => void }) {
  const categories = useCategoryOptions()
  const brands = useBrandOptions()
  return (
    <Toolbar>
      <SearchField label={t.searchHint} value={filters.search} onChange={(search) => setFilters({ search })} />
      <SelectField
        label={t.category}
        value={filters.categoryId ?? ''}
        options={[ALL, ...categories]}
        onChange={(categoryId) => setFilters({ categoryId })}
      />
      <SelectField
        label={t.brand}
        value={filters.brandId ?? ''}
        options={[ALL, ...brands]}
        onChange={(brandId) => setFilters({ brandId })}
      />
      <SelectField
        label={t.visible}
        value={filters.active ?? ''}
        options={[ALL, ['true', common.yes], ['false', common.no]]}
        onChange={(active) => setFilters({ active })}
      />
      <SelectField
        label={t.lacks}
        value={filters.without ?? ''}
        options={[['', '—'], ...Object.entries(t.without)]}
        onChange={(without) => setFilters({ without })}
      />
      <CheckField
        isSelected={filters.inStock === 'true'}
        onChange={(isOn) => setFilters({ inStock: isOn ? 'true' : undefined })}
      >
        {t.inStock}
      </CheckField>
    </Toolbar>
  )
}
