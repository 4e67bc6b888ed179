import { type Static, Type } from '@sinclair/typebox'
import {
  DOWNLOAD_STATUSES,
  IMAGE_DOWNLOAD_SORT,
  SCRAPE_STATUSES,
  SCRAPE_TASK_SORT,
} from '../../db/tables/scraping.ts'
import {
  Count,
  CountsBy,
  FreeText,
  Id,
  NamedEnum,
  NamedObject,
  Nullable,
  Only,
  ref,
  Text,
  Timestamp,
  Word,
} from './common.ts'
import { ImageUrls } from './image-overrides.ts'
import { ListQuery, Page } from './lists.ts'

export const ScrapeStatus = NamedEnum('ScrapeStatus', 'Status of a scrape task', SCRAPE_STATUSES)

export const DownloadStatus = NamedEnum(
  'DownloadStatus',
  'Result of the last attempt to download an image',
  DOWNLOAD_STATUSES,
)

const ProductName = Text('Name of the product', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт')

const PAGE_URL = 'https://supplier.example.com/p/T101160'
const IMAGE_URL = 'https://supplier.example.com/upload/pe-1400.jpg'

/** Specification, "Scrape queue task". */
export const ScrapeTask = NamedObject('ScrapeTask', 'A product in the scrape queue', {
  id: Id('Id of the task'),
  productId: Id('Product whose images are fetched'),
  productName: ProductName,
  productPageUrl: Nullable(Text('Page to scrape; null: the URL known from the supplier or the feed')),
  readsPage: Type.Boolean({ description: 'False: only `imageUrls` are downloaded' }),
  imageUrls: Type.Array(Text('URL of an image'), { description: 'Additional images requested by URL' }),
  status: ref(ScrapeStatus),
  attempts: Count('Number of attempts'),
  errorMessage: Nullable(Text('Why the last attempt failed, or what is missing', 'The server answered 503')),
  nextAttemptAt: Nullable(Timestamp('Time of the next attempt; null unless PENDING')),
  createdAt: Timestamp('Time of creation'),
  updatedAt: Timestamp('Time of the last change'),
})
export type ScrapeTask = Static<typeof ScrapeTask>
export const ScrapeTaskPage = Page(ScrapeTask)

/** Specification, "Image download log". */
export const ImageDownload = NamedObject('ImageDownload', 'An image download of a product', {
  id: Id('Id of the log entry'),
  productId: Id('Id of the product'),
  productName: ProductName,
  imageUrl: Text('URL of the image', IMAGE_URL),
  status: ref(DownloadStatus),
  attempts: Count('Number of downloads; 0 for images added otherwise'),
  errorMessage: Nullable(Text('Why the last attempt failed')),
  imageId: Nullable(Id('Id in the image library; null: failed, or deleted since')),
  firstSeenAt: Timestamp('Time of the first attempt'),
  lastAttemptAt: Timestamp('Time of the last attempt'),
})
export type ImageDownload = Static<typeof ImageDownload>
export const ImageDownloadPage = Page(ImageDownload)

export const ScrapeStats = CountsBy('ScrapeStats', 'Tasks by status', SCRAPE_STATUSES)
export type ScrapeStats = Static<typeof ScrapeStats>

export const DownloadStats = CountsBy('DownloadStats', 'Image downloads by status', DOWNLOAD_STATUSES)
export type DownloadStats = Static<typeof DownloadStats>

export const ProductScrape = NamedObject('ProductScrape', 'Scraping state of a product', {
  productId: Id('Id of the product'),
  productName: ProductName,
  pageUrl: Nullable(Text('Page that would be scraped now; null: none is known', PAGE_URL)),
  task: Nullable(ref(ScrapeTask), { description: 'Latest task; null: there is none' }),
  images: ref(DownloadStats),
})
export type ProductScrape = Static<typeof ProductScrape>

/** A missing body is read as null. */
export const ScrapeRequest = Nullable(
  NamedObject('ScrapeRequest', 'Page to scrape; by default the URL known from the supplier or the feed', {
    pageUrl: Type.Optional(Nullable(Word(2000, 'An http(s) URL', PAGE_URL))),
  }),
)
export type ScrapeRequest = Static<typeof ScrapeRequest>

export const ManualImport = NamedObject('ManualImport', 'Images to download for a product', {
  productId: Id('Product the images belong to'),
  urls: ImageUrls,
})
export type ManualImport = Static<typeof ManualImport>

export const Enqueued = NamedObject('Enqueued', 'Result of enqueueing', {
  enqueued: Count('Number of items enqueued'),
})
export type Enqueued = Static<typeof Enqueued>

export const Backfilled = NamedObject('Backfilled', 'Result of the backfill', {
  added: Count('Number of new entries'),
})
export type Backfilled = Static<typeof Backfilled>

const Search = (url: string) =>
  Type.Optional(FreeText(200, `Part of the product's name or of ${url}`, 'тармекс'))

export const ScrapeTaskQuery = ListQuery(SCRAPE_TASK_SORT, 'newest first', {
  status: Only(ScrapeStatus, 'items with this status'),
  search: Search("the page's URL"),
})
export type ScrapeTaskQuery = Static<typeof ScrapeTaskQuery>

export const ImageDownloadQuery = ListQuery(IMAGE_DOWNLOAD_SORT, 'last attempt first', {
  status: Only(DownloadStatus, 'items with this status'),
  search: Search("the image's URL"),
})
export type ImageDownloadQuery = Static<typeof ImageDownloadQuery>

export const ProductParams = Type.Object({ productId: Id('Id of the product') })
