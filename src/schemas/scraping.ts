import { type Static, Type } from '@sinclair/typebox'
import {
  DOWNLOAD_STATUSES,
  IMAGE_DOWNLOAD_SORT,
  SCRAPE_STATUSES,
  SCRAPE_TASK_SORT,
} from '../../db/tables/scraping.ts'
import { Count, described, Enum, Id, Nullable, Page, PageQuery, ref, SortQuery, Timestamp } from './common.ts'

export const ScrapeStatus = Enum(SCRAPE_STATUSES, {
  $id: 'ScrapeStatus',
  description: 'Status of a scrape task',
})

export const DownloadStatus = Enum(DOWNLOAD_STATUSES, {
  $id: 'DownloadStatus',
  description: 'Result of the last attempt to download an image',
})

const ProductName = Type.String({ description: 'Name of the product' })
const EXAMPLE = { productId: 1160, productName: 'Перфоратор Тармекс ПЕ-1400, 1400 Вт' }
const PAGE_URL = 'https://supplier.example.com/p/T101160'
const IMAGE_URL = 'https://supplier.example.com/upload/pe-1400.jpg'

/** Specification, "Scrape queue task". */
export const ScrapeTask = Type.Object(
  {
    id: described(Id, 'Id of the task'),
    productId: described(Id, 'Product whose images are fetched'),
    productName: ProductName,
    productPageUrl: Nullable(
      Type.String({ description: 'Page to scrape; null: the URL known from the supplier or the feed' }),
    ),
    readsPage: Type.Boolean({ description: 'False: only `imageUrls` are downloaded' }),
    imageUrls: Type.Array(Type.String({ description: 'URL of an image' }), {
      description: 'Additional images requested by URL',
    }),
    status: ref(ScrapeStatus),
    attempts: described(Count, 'Number of attempts'),
    errorMessage: Nullable(Type.String({ description: 'Why the last attempt failed, or what is missing' })),
    nextAttemptAt: Nullable(described(Timestamp, 'Time of the next attempt; null unless PENDING')),
    createdAt: described(Timestamp, 'Time of creation'),
    updatedAt: described(Timestamp, 'Time of the last change'),
  },
  {
    $id: 'ScrapeTask',
    description: 'A product in the scrape queue',
    examples: [
      {
        id: 41,
        ...EXAMPLE,
        productPageUrl: null,
        readsPage: true,
        imageUrls: [],
        status: 'FAILED',
        attempts: 5,
        errorMessage: 'The server answered 503',
        nextAttemptAt: null,
        createdAt: '2026-11-21T10:05:00.000Z',
        updatedAt: '2026-11-21T12:41:00.000Z',
      },
    ],
  },
)
export type ScrapeTask = Static<typeof ScrapeTask>
export const ScrapeTaskPage = Page(ScrapeTask)

/** Specification, "Image download log". */
export const ImageDownload = Type.Object(
  {
    id: described(Id, 'Id of the log entry'),
    productId: described(Id, 'Id of the product'),
    productName: ProductName,
    imageUrl: Type.String({ description: 'URL of the image' }),
    status: ref(DownloadStatus),
    attempts: described(Count, 'Number of downloads; 0 for images added otherwise'),
    errorMessage: Nullable(Type.String({ description: 'Why the last attempt failed' })),
    imageId: Nullable(described(Id, 'Id in the image library; null: failed, or deleted since')),
    firstSeenAt: described(Timestamp, 'Time of the first attempt'),
    lastAttemptAt: described(Timestamp, 'Time of the last attempt'),
  },
  {
    $id: 'ImageDownload',
    description: 'An image download of a product',
    examples: [
      {
        id: 77,
        ...EXAMPLE,
        imageUrl: IMAGE_URL,
        status: 'SUCCESS',
        attempts: 1,
        errorMessage: null,
        imageId: 31,
        firstSeenAt: '2026-11-21T10:05:00.000Z',
        lastAttemptAt: '2026-11-21T10:05:00.000Z',
      },
    ],
  },
)
export type ImageDownload = Static<typeof ImageDownload>
export const ImageDownloadPage = Page(ImageDownload)

export const ScrapeStats = Type.Object(
  {
    PENDING: described(Count, 'Tasks waiting'),
    IN_PROGRESS: described(Count, 'Tasks in progress'),
    DONE: described(Count, 'Tasks completed'),
    FAILED: described(Count, 'Tasks failed'),
  },
  {
    $id: 'ScrapeStats',
    description: 'Tasks by status',
    examples: [{ PENDING: 12, IN_PROGRESS: 4, DONE: 1950, FAILED: 3 }],
  },
)
export type ScrapeStats = Static<typeof ScrapeStats>

export const DownloadStats = Type.Object(
  {
    SUCCESS: described(Count, 'Downloads that succeeded'),
    FAILED: described(Count, 'Downloads that failed'),
  },
  { $id: 'DownloadStats', description: 'Image downloads by status', examples: [{ SUCCESS: 3, FAILED: 1 }] },
)
export type DownloadStats = Static<typeof DownloadStats>

export const ProductScrape = Type.Object(
  {
    productId: described(Id, 'Id of the product'),
    productName: ProductName,
    pageUrl: Nullable(Type.String({ description: 'Page that would be scraped now; null: none is known' })),
    task: Nullable(ref(ScrapeTask), { description: 'Latest task; null: there is none' }),
    images: ref(DownloadStats),
  },
  {
    $id: 'ProductScrape',
    description: 'Scraping state of a product',
    examples: [{ ...EXAMPLE, pageUrl: PAGE_URL, task: null, images: { SUCCESS: 3, FAILED: 1 } }],
  },
)
export type ProductScrape = Static<typeof ProductScrape>

const PageUrl = Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) URL' })

/** A missing body is read as null. */
export const ScrapeRequest = Nullable(
  Type.Object(
    { pageUrl: Type.Optional(Nullable(PageUrl)) },
    {
      $id: 'ScrapeRequest',
      description: 'Page to scrape; by default the URL known from the supplier or the feed',
      examples: [{ pageUrl: PAGE_URL }],
    },
  ),
)
export type ScrapeRequest = Static<typeof ScrapeRequest>

export const ManualImport = Type.Object(
  {
    productId: described(Id, 'Product the images belong to'),
    urls: Type.Array(Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) URL' }), {
      minItems: 1,
      maxItems: 50,
      description: 'URLs of the images, in display order',
      examples: [[IMAGE_URL]],
    }),
  },
  {
    $id: 'ManualImport',
    description: 'Images to download for a product',
    examples: [{ productId: 1160, urls: [IMAGE_URL] }],
  },
)
export type ManualImport = Static<typeof ManualImport>

export const Enqueued = Type.Object(
  { enqueued: described(Count, 'Number of items enqueued') },
  { $id: 'Enqueued', description: 'Result of enqueueing', examples: [{ enqueued: 12 }] },
)
export type Enqueued = Static<typeof Enqueued>

export const Backfilled = Type.Object(
  { added: described(Count, 'Number of new entries') },
  { $id: 'Backfilled', description: 'Result of the backfill', examples: [{ added: 12 }] },
)
export type Backfilled = Static<typeof Backfilled>

const Search = (url: string) =>
  Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Part of the product's name or of ${url}`,
      examples: ['тармекс'],
    }),
  )

export const ScrapeTaskQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(SCRAPE_TASK_SORT, 'newest first'),
  status: Type.Optional(
    ref(ScrapeStatus, { description: 'Only items with this status', examples: ['FAILED'] }),
  ),
  search: Search("the page's URL"),
})
export type ScrapeTaskQuery = Static<typeof ScrapeTaskQuery>

export const ImageDownloadQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(IMAGE_DOWNLOAD_SORT, 'last attempt first'),
  status: Type.Optional(
    ref(DownloadStatus, { description: 'Only items with this status', examples: ['FAILED'] }),
  ),
  search: Search("the image's URL"),
})
export type ImageDownloadQuery = Static<typeof ImageDownloadQuery>

export const ProductParams = Type.Object({ productId: described(Id, 'Id of the product') })
