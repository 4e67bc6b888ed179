import { listRecords } from '../../../db/queries/records.ts'
import type { BannerBlockRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { withImageUrl } from '../../rules/media/urls.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { BannerBlock, BannerBlockInput } from '../../schemas/content-blocks.ts'
import { answer } from '../catalogue/answers.ts'
import { getRecord, type RecordKind, recordUseCases } from '../records.ts'
import { toColumns, toWire } from '../wire.ts'

const BANNER_BLOCKS: RecordKind<'banner_blocks', BannerBlock, BannerBlockInput> = {
  table: 'banner_blocks',
  name: 'banner',
  entity: 'BANNER',
  change: 'banner',
  toWire: (row) => toWire(BannerBlock, withImageUrl(row), true),
  toValues(input, current) {
    // An absent end of the period keeps its value, with which the other one must agree.
    const { activeFrom = current?.active_from?.toISOString(), activeTo = current?.active_to?.toISOString() } = input
    checkBanner({ activeFrom, activeTo })
    return toColumns(BannerBlockInput, input)
  },
  references: { banner_blocks_image_id_fkey: 'imageId' },
}

/** Lists the banners shown now. Periods begin and end without a write: clients see it once the cached answer expires. */
export function listActiveBannerBlocks(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'banners', false, async () => {
    const time = deps.now()
    const isShown = ({ active, active_from, active_to }: BannerBlockRow) =>
      active && (active_from === null || active_from <= time) && (active_to === null || time < active_to)
    const shown = (await listRecords(deps.db, 'banner_blocks')).filter(isShown)
    return shown.map((row) => toWire(BannerBlock, withImageUrl(row)))
  })
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkBanner({ activeFrom, activeTo }: Partial<BannerBlockInput>): void {
  if (activeFrom && activeTo && Date.parse(activeTo) <= Date.parse(activeFrom))
    throw invalid({ path: 'activeTo', message: 'must be after activeFrom' })
}

export const {
  list: listBannerBlocks,
  create: createBannerBlock,
  update: updateBannerBlock,
  delete: deleteBannerBlock,
} = recordUseCases(BANNER_BLOCKS)

/** @throws AppError 404 */
export const getBannerBlock = (deps: Deps, id: number) => getRecord(deps, BANNER_BLOCKS, id)
