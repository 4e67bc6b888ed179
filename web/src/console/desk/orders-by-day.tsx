import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { api, got } from '../../api/client.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Panel } from '../../ui/list.tsx'
import { t } from './text.ts'

// The library of plots comes after what waits.
const Plot = lazy(() => import('./plot.tsx').then((module) => ({ default: module.Plot })))

const PERIODS = [14, 30, 90, 365]
const NO_DAYS: { date: string; orders: number; revenue: number }[] = []

export function OrdersByDay() {
  const [days, setDays] = useState(30)
  const { data = NO_DAYS } = useQuery({
    queryKey: ['orders', 'series', days],
    queryFn: () => got(api.GET('/api/v1/admin/orders/series', { params: { query: { days } } })),
  })
  return (
    <Panel
      title={t.byDay}
      actions={
        <SelectField
          label={t.period}
          isHiddenLabel
          value={String(days)}
          options={PERIODS.map((one) => [String(one), t.days(one)])}
          onChange={(value) => setDays(Number(value))}
        />
      }
    >
      <Suspense fallback={null}>
        <Plot days={data} />
      </Suspense>
    </Panel>
  )
}
