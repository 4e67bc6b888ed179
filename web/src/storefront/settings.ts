import { useQuery } from '@tanstack/react-query'
import { got, shop } from './api.ts'
import { formatMoney } from './format.ts'

const HOUR_MS = 3_600_000

const settingsQuery = {
  queryKey: ['settings'],
  queryFn: () => got(shop.GET('/api/v1/config/public')),
  staleTime: HOUR_MS,
}

/** Public settings by key; none while they are loading. */
export function useSettings(): Readonly<Record<string, string>> {
  return useQuery(settingsQuery).data ?? {}
}

/** Writes amounts in the shop's currency. */
export function useMoney(): (amount: number) => string {
  const currency = useSettings().shop_currency ?? 'RUB'
  return (amount) => formatMoney(amount, currency)
}
