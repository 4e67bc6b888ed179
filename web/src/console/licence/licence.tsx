import { useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { formatDay, formatMoney } from '../../ui/format.ts'
import { PageHead } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { LicencePrices } from './prices.tsx'
import { t } from './text.ts'
import { LicenceTopups } from './topups.tsx'

/** What the shop's licence costs, and how long it is paid. */
export function Licence() {
  const balance = useQuery({
    queryKey: ['licence', 'balance'],
    queryFn: () => got(api.GET('/api/v1/admin/license/balance')),
  })
  return (
    <>
      <PageHead title={common.licence} />
      <Loaded query={balance}>
        {(read) => (
          <section className={css.tiles}>
            <div className={css.tile}>
              <span className={`${css.figure} ${read.balance < 0 ? css.bad : ''}`}>{formatMoney(read.balance)}</span>{' '}
              {t.balance}
            </div>
            <div className={css.tile}>
              <span className={css.figure}>{formatDay(read.paidUntil)}</span> {t.paidUntil}
            </div>
            <div className={css.tile}>
              <span className={css.figure}>{formatMoney(read.monthlyTotal)}</span> {t.monthly}
            </div>
            <div className={css.tile}>
              <span className={css.figure}>{formatMoney(read.toppedUp)}</span> {t.toppedUp}
            </div>
            <div className={css.tile}>
              <span className={css.figure}>{formatMoney(read.spent)}</span> {t.spent}
            </div>
          </section>
        )}
      </Loaded>
      <LicencePrices />
      <LicenceTopups />
    </>
  )
}
