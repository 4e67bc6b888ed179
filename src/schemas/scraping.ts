import { type Static, Type } from '@sinclair/typebox'
import { DOWNLOAD_STATUSES, SCRAPE_STATUSES } from '../../db/tables/scraping.ts'
import * as t from './common.ts'
import { ImageUrls } from './image-overrides.ts'
import { PageQuery, SeveralWords } from './lists.ts'

const ScrapeStatus = t.NamedEnum('ScrapeStatus', 'Status of a scrape task', SCRAPE_STATUSES)

const DownloadStatus = t.NamedEnum(
  'DownloadStatus',
  'Result of the last attempt to download an image',
  DOWNLOAD_STATUSES,
)

const ProductName = t.Text('Name of the product', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт')

const PAGE_URL = 'https://supplier.example.com/p/T101160'
const IMAGE_URL = 'https://supplier.example.com/upload/pe-1400.jpg'

export const ScrapeTask = t.NamedObject('ScrapeTask', 'A product in the scrape queue', {
  id: t.Id('Id of the task'),
  productId: t.Id('Product whose images are fetched'),
  productName: ProductName,
  productPageUrl: t.Nullable(t.Text('Page to scrape; null: the URL known from the supplier or the feed')),
  readsPage: Type.Boolean({ description: 'False: only `imageUrls` are downloaded' }),
  imageUrls: Type.Array(t.Text('URL of an image'), { description: 'Additional images requested by URL' }),
  status: t.ref(ScrapeStatus),
  attempts: t.Count('Number of attempts'),
  errorMessage: t.Nullable(t.Text('Why the last attempt failed, or what is missing', 'The server answered 503')),
  nextAttemptAt: t.Nullable(t.Timestamp('Time of the next attempt; null unless PENDING')),
  createdAt: t.Timestamp('Time of creation'),
  updatedAt: t.Timestamp('Time of the last change'),
})
export type ScrapeTask = Static<typeof ScrapeTask>

export const ImageDownload = t.NamedObject('ImageDownload', 'An image download of a product', {
  id: t.Id('Id of the log entry'),
  productId: t.Id('Id of the product'),
  productName: ProductName,
  imageUrl: t.Text('URL of the image', IMAGE_URL),
  status: t.ref(DownloadStatus),
  attempts: t.Count('Number of downloads; 0 for images added in another way'),
  errorMessage: t.Nullable(t.Text('Why the last attempt failed')),
  imageId: t.Nullable(t.Id('Id in the image library; null: failed, or deleted since')),
  firstSeenAt: t.Timestamp('Time of the first attempt'),
  lastAttemptAt: t.Timestamp('Time of the last attempt'),
})
export type ImageDownload = Static<typeof ImageDownload>

export const ScrapeStats = t.CountsBy('ScrapeStats', 'Tasks by status', SCRAPE_STATUSES)

export const DownloadStats = t.CountsBy('DownloadStats', 'Image downloads by status', DOWNLOAD_STATUSES)

export const ProductScrape = t.NamedObject('ProductScrape', 'Scraping state of a product', {
  productId: t.Id('Id of the product'),
  productName: ProductName,
  pageUrl: t.Nullable(t.Text('Page that would be scraped now; null: none is known', PAGE_URL)),
  task: t.Nullable(t.ref(ScrapeTask), { description: 'Latest task; null: there is none' }),
  images: t.ref(DownloadStats),
})
export type ProductScrape = Static<typeof ProductScrape>

/** A missing body is read as null. */
export const ScrapeRequest = t.Nullable(
  t.NamedObject('ScrapeRequest', 'Page to scrape; by default the URL known from the supplier or the feed', {
    pageUrl: Type.Optional(t.Nullable(t.HttpUrl(PAGE_URL))),
  }),
)
export type ScrapeRequest = Static<typeof ScrapeRequest>

export const ManualImport = t.NamedObject('ManualImport', 'Images to download for a product', {
  productId: t.Id('Product the images belong to'),
  urls: ImageUrls,
})
export type ManualImport = Static<typeof ManualImport>

export const Enqueued = t.NamedObject('Enqueued', 'Result of enqueueing', {
  enqueued: t.Count('Number of items enqueued'),
})

export const Backfilled = t.NamedObject('Backfilled', 'Result of the backfill', {
  added: t.Count('Number of new entries'),
})

const Search = (url: string) => Type.Optional(t.FreeText(200, `Part of the product's name or of ${url}`, 'тармекс'))

export const ScrapeTaskQuery = Type.Object({
  ...PageQuery.properties,
  status: SeveralWords(SCRAPE_STATUSES, 'Only tasks with this status'),
  search: Search("the page's URL"),
})
export type ScrapeTaskQuery = Static<typeof ScrapeTaskQuery>

export const ImageDownloadQuery = Type.Object({
  ...PageQuery.properties,
  status: SeveralWords(DOWNLOAD_STATUSES, 'Only downloads with this status'),
  search: Search("the image's URL"),
})
export type ImageDownloadQuery = Static<typeof ImageDownloadQuery>

export const ProductParams = Type.Object({ productId: t.Id('Id of the product') })
