import { useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { keysOf, oneOf, TabFilter, useFilters } from '../../ui/filters.tsx'
import { formatBytes, formatMoney, formatNumber, formatTime } from '../../ui/format.ts'
import { Empty, Loaded, Panel, Small } from '../../ui/list.tsx'
import { List, Table } from '../../ui/table.tsx'
import { t } from './text.ts'

/** The last states of the feed, and what changed from each to the next. */
export function Snapshots() {
  const [{ snapshot }, setFilters] = useFilters()
  const snapshots = useQuery({
    queryKey: ['pipeline', 'snapshots'],
    queryFn: () => got(api.GET('/api/v1/admin/xml-pipeline/snapshots')),
    select: ({ content }) => content,
  })
  return (
    <Panel title={t.snapshots}>
      <List
        label={t.snapshots}
        query={snapshots}
        empty={t.noCategories}
        columns={[
          { head: t.created, cell: ({ createdAt }) => formatTime(createdAt) },
          { head: t.offers, type: 'number', cell: ({ offers }) => formatNumber(offers) },
          { head: t.categories, type: 'number', cell: ({ categories }) => formatNumber(categories) },
          { head: t.size, type: 'number', cell: ({ size }) => formatBytes(size) },
          {
            head: t.actions,
            type: 'actions',
            cell: ({ id }) => (
              <Button look="quiet" onPress={() => setFilters({ snapshot: String(id) })}>
                {t.differences}
              </Button>
            ),
          },
        ]}
      />
      {snapshot !== undefined && <Differences id={Number(snapshot)} />}
    </Panel>
  )
}

function Differences({ id }: { id: number }) {
  const [filters, setFilters] = useFilters()
  const kind = oneOf(t.kinds, filters.kind) ?? 'changed'
  const diff = useQuery({
    queryKey: ['pipeline', 'diff', id],
    queryFn: () => got(api.GET('/api/v1/admin/xml-pipeline/snapshots/{id}/diff', { params: { path: { id } } })),
  })
  return (
    <Dialog title={t.differences} onClose={() => setFilters({ snapshot: undefined, kind: undefined })} isWide>
      <Loaded query={diff}>
        {(read) => (
          <>
            <TabFilter
              name="kind"
              label={t.differences}
              options={keysOf(t.kinds).map((one) => [
                one === 'changed' ? '' : one,
                `${t.kinds[one]} ${formatNumber(read.counts[one])}`,
              ])}
            />
            <Small>
              {read.previousId === null ? t.firstSnapshot : t.unchanged(formatNumber(read.counts.unchanged))}
            </Small>
            <Offers offers={read[kind]} total={read.counts[kind]} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Offers({ offers, total }: { offers: readonly Schemas['OfferDifference'][]; total: number }) {
  if (offers.length === 0) return <Empty>{t.nothing}</Empty>
  return (
    <>
      <Table
        label={t.differences}
        rows={offers}
        columns={[
          { head: t.name, cell: ({ name }) => name },
          { head: t.article, cell: ({ id }) => id },
          { head: t.priceBefore, type: 'number', cell: ({ priceBefore }) => formatMoney(priceBefore) },
          { head: t.price, type: 'number', cell: ({ price }) => formatMoney(price) },
        ]}
      />
      {offers.length < total && <Small>{t.firstOf(formatNumber(offers.length), formatNumber(total))}</Small>}
    </>
  )
}
