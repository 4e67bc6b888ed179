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
  description: "How far the scraper got with a product's images",
})

export const DownloadStatus = Enum(DOWNLOAD_STATUSES, {
  $id: 'DownloadStatus',
  description: 'What the last attempt at an image gave',
})

const ProductName = Type.String({ description: 'What the product is called' })
const EXAMPLE = { productId: 1160, productName: 'Перфоратор Тармекс ПЕ-1400, 1400 Вт' }
const PAGE_URL = 'https://supplier.example.com/p/T101160'
const IMAGE_URL = 'https://supplier.example.com/upload/pe-1400.jpg'

/** Specification, "Scrape queue task". */
export const ScrapeTask = Type.Object(
  {
    id: described(Id, 'Id of the task'),
    productId: described(Id, 'Whose images are to be fetched'),
    productName: ProductName,
    productPageUrl: Nullable(
      Type.String({ description: 'The page to read; null: the one that supplier or feed name' }),
    ),
    readsPage: Type.Boolean({ description: 'False: only the images of `imageUrls` are asked for' }),
    imageUrls: Type.Array(Type.String({ description: 'An address' }), {
      description: 'Images that staff asked for, in addition',
    }),
    status: ref(ScrapeStatus),
    attempts: described(Count, 'How often it was tried'),
    errorMessage: Nullable(Type.String({ description: 'Why it failed, or what is missing' })),
    nextAttemptAt: Nullable(described(Timestamp, 'When it is due; null: it is not waiting')),
    createdAt: described(Timestamp, 'When it was asked for'),
    updatedAt: described(Timestamp, 'When it changed last'),
  },
  {
    $id: 'ScrapeTask',
    description: 'A product in the queue of the scraper',
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
    id: described(Id, 'Id of the entry'),
    productId: described(Id, 'For which product'),
    productName: ProductName,
    imageUrl: Type.String({ description: 'Where the image was fetched' }),
    status: ref(DownloadStatus),
    attempts: described(Count, 'How often it was fetched; 0: never, it was there already'),
    errorMessage: Nullable(Type.String({ description: 'Why it failed' })),
    imageId: Nullable(described(Id, 'The image in the library, as long as it is there')),
    firstSeenAt: described(Timestamp, 'When it was met first'),
    lastAttemptAt: described(Timestamp, 'When it was fetched last'),
  },
  {
    $id: 'ImageDownload',
    description: 'What became of an image of a product',
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
    PENDING: described(Count, 'Tasks that wait for their turn'),
    IN_PROGRESS: described(Count, 'Tasks that are being worked on'),
    DONE: described(Count, 'Products that were read'),
    FAILED: described(Count, 'Products that could not be'),
  },
  {
    $id: 'ScrapeStats',
    description: 'Tasks by status',
    examples: [{ PENDING: 12, IN_PROGRESS: 4, DONE: 1950, FAILED: 3 }],
  },
)
export type ScrapeStats = Static<typeof ScrapeStats>

export const DownloadStats = Type.Object(
  { SUCCESS: described(Count, 'Images that came'), FAILED: described(Count, 'Images that did not') },
  { $id: 'DownloadStats', description: 'Images by status', examples: [{ SUCCESS: 3, FAILED: 1 }] },
)
export type DownloadStats = Static<typeof DownloadStats>

export const ProductScrape = Type.Object(
  {
    productId: described(Id, 'The product'),
    productName: ProductName,
    pageUrl: Nullable(Type.String({ description: 'The page that would be read now; null: none is known' })),
    task: Nullable(ref(ScrapeTask), { description: 'The newest; null: there was none' }),
    images: ref(DownloadStats),
  },
  {
    $id: 'ProductScrape',
    description: 'What the scraper knows of a product',
    examples: [{ ...EXAMPLE, pageUrl: PAGE_URL, task: null, images: { SUCCESS: 3, FAILED: 1 } }],
  },
)
export type ProductScrape = Static<typeof ProductScrape>

const PageUrl = Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) address' })

/** No body at all counts as null. */
export const ScrapeRequest = Nullable(
  Type.Object(
    { pageUrl: Type.Optional(Nullable(PageUrl)) },
    {
      $id: 'ScrapeRequest',
      description: 'Which page to read; without one, that which supplier or feed name',
      examples: [{ pageUrl: PAGE_URL }],
    },
  ),
)
export type ScrapeRequest = Static<typeof ScrapeRequest>

export const ManualImport = Type.Object(
  {
    productId: described(Id, 'Which product they show'),
    urls: Type.Array(Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) address' }), {
      minItems: 1,
      maxItems: 50,
      description: 'Where the images are, in their order',
      examples: [[IMAGE_URL]],
    }),
  },
  {
    $id: 'ManualImport',
    description: 'Images to fetch for a product, from wherever they are',
    examples: [{ productId: 1160, urls: [IMAGE_URL] }],
  },
)
export type ManualImport = Static<typeof ManualImport>

export const Enqueued = Type.Object(
  { enqueued: described(Count, 'How many were added to the queue') },
  { $id: 'Enqueued', description: 'What was asked for', examples: [{ enqueued: 12 }] },
)
export type Enqueued = Static<typeof Enqueued>

export const Backfilled = Type.Object(
  { added: described(Count, 'How many entries are new') },
  { $id: 'Backfilled', description: 'What was entered into the log', examples: [{ added: 12 }] },
)
export type Backfilled = Static<typeof Backfilled>

const Search = (what: string) =>
  Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Part of the product's name or of ${what}`,
      examples: ['тармекс'],
    }),
  )

export const ScrapeTaskQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(SCRAPE_TASK_SORT, 'the newest first'),
  status: Type.Optional(
    ref(ScrapeStatus, { description: 'Those with this status only', examples: ['FAILED'] }),
  ),
  search: Search("the page's address"),
})
export type ScrapeTaskQuery = Static<typeof ScrapeTaskQuery>

export const ImageDownloadQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(IMAGE_DOWNLOAD_SORT, 'the last attempt first'),
  status: Type.Optional(
    ref(DownloadStatus, { description: 'Those with this status only', examples: ['FAILED'] }),
  ),
  search: Search("the image's address"),
})
export type ImageDownloadQuery = Static<typeof ImageDownloadQuery>

export const ProductParams = Type.Object({ productId: described(Id, 'Id of the product') })
