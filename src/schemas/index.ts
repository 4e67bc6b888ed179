import { AttributeRule, AttributeRuleInput } from './attribute-rules.ts'
import { AuditAction, AuditEntity, AuditEntry, AuditEntryPage } from './audit.ts'
import { Login, PasswordChange, ProfileChange, Registration, Session, SessionUser } from './auth.ts'
import { BannerBlock, BannerBlockInput, PublicBannerBlock } from './banner-blocks.ts'
import { Brand } from './brands.ts'
import { Cart, CartItem, CartLines } from './cart.ts'
import {
  Category,
  CategoryInput,
  CategoryMove,
  CategoryNode,
  CategoryOrder,
  CategorySlug,
  NavigationCategory,
  UnusedCategories,
} from './categories.ts'
import {
  CategoryFilter,
  CategoryFilterInput,
  CategoryFilterMatches,
  CategoryFilterTest,
  FilterTarget,
} from './category-filters.ts'
import {
  ContactNotesChange,
  ContactRequest,
  ContactRequestPage,
  ContactStatus,
  ContactStatusChange,
  NewContactRequest,
} from './contacts.ts'
import { Dashboard, OrderCounts } from './dashboard.ts'
import { CartReason, ErrorBody, ErrorCode, ErrorDetail, Unauthorized } from './errors.ts'
import { Facets } from './facets.ts'
import { FeatureItem, FeatureItemInput, PublicFeatureItem } from './feature-items.ts'
import { CategoryMappingInput, FeedCategory, MappedCategory } from './feed-categories.ts'
import { Health, Home } from './health.ts'
import { ImageOverride, ImageOverrideInput, ImageOverrideMode } from './image-overrides.ts'
import { Image, ImagePage, ImageUpload, ImageUse, ImageUseType } from './images.ts'
import {
  LicenceBalance,
  LicencePrice,
  LicencePriceInput,
  LicenceTopup,
  LicenceTopupInput,
} from './licence.ts'
import { TestMail, TestMailResult } from './notifications.ts'
import { OrderDetails, OrderHistoryEntry, SubmitAttempt, SubmitOutcome } from './order-details.ts'
import {
  BulkDeleted,
  BulkDeletePreview,
  DeliveryCost,
  NewOrder,
  Order,
  OrderChange,
  OrderItem,
  OrderLine,
  OrderPage,
  OrderStatus,
} from './orders.ts'
import {
  PipelineRun,
  PipelineRunDetails,
  PipelineRunPage,
  PipelineStage,
  PipelineStageName,
  PipelineStageStatus,
  SkippedOffer,
  StartedPipelineRun,
} from './pipeline.ts'
import { BulkChange, BulkEdit, BulkEdited, BulkError, BulkFilter } from './product-bulk.ts'
import {
  ManualAttribute,
  ManualAttributes,
  NewProduct,
  ProductPatch,
  ProductReplacement,
  ProductTags,
  SlugChoice,
} from './product-editing.ts'
import {
  AttributeSource,
  BrandName,
  Link,
  Product,
  ProductAttribute,
  ProductCard,
  ProductImage,
  ProductOverride,
  ProductPage,
  Seo,
} from './products.ts'
import {
  ExportedReview,
  PublicReview,
  Review,
  ReviewImport,
  ReviewImportResult,
  ReviewInput,
  ReviewPage,
} from './reviews.ts'
import {
  NewSetting,
  PublicSetting,
  PublicSettings,
  Setting,
  SettingChange,
  SettingsBatch,
} from './settings.ts'
import { ChangedOffer, OfferField, OfferSummary, Snapshot, SnapshotDiff, SnapshotPage } from './snapshots.ts'
import { Suggestions } from './suggest.ts'
import {
  FeedStatus,
  RunStatus,
  SkippedRecord,
  StartedSync,
  SyncCounts,
  SyncFeed,
  SyncRun,
  SyncRunDetails,
  SyncRunPage,
  SyncState,
  SyncTrigger,
  SyncType,
} from './sync.ts'
import { NewTag, Tag, TagChange } from './tags.ts'
import { NewUser, Role, User, UserChange, UserPage } from './users.ts'

/** What the API description names: every schema with an `$id`. */
export const SCHEMAS = [
  ...[ErrorBody, ErrorCode, ErrorDetail, Unauthorized],
  ...[Product, ProductPage, ProductCard, ProductAttribute, AttributeSource, ProductImage],
  ...[NewProduct, ProductReplacement, ProductPatch, ProductOverride, ManualAttributes, ManualAttribute],
  ...[ProductTags, SlugChoice, BulkEdit, BulkFilter, BulkChange, BulkEdited, BulkError],
  ...[Facets, Suggestions, Seo, Link, BrandName, NavigationCategory, CategoryNode, Category, Brand],
  ...[Tag, NewTag, TagChange],
  ...[CategoryInput, CategoryMove, CategoryOrder, CategorySlug, UnusedCategories],
  ...[CategoryFilter, CategoryFilterInput, CategoryFilterTest, CategoryFilterMatches, FilterTarget],
  ...[Cart, CartItem, CartLines, CartReason],
  ...[NewOrder, OrderLine, Order, OrderItem, OrderStatus, OrderPage],
  ...[OrderDetails, OrderHistoryEntry, SubmitAttempt, SubmitOutcome],
  ...[OrderChange, DeliveryCost, BulkDeletePreview, BulkDeleted],
  ...[Session, SessionUser, Login, Registration, ProfileChange, PasswordChange],
  ...[User, UserPage, NewUser, UserChange, Role],
  ...[NewContactRequest, ContactRequest, ContactRequestPage, ContactStatus],
  ...[ContactStatusChange, ContactNotesChange],
  ...[Setting, NewSetting, SettingChange, PublicSetting, PublicSettings, SettingsBatch],
  ...[Dashboard, OrderCounts],
  ...[AuditEntry, AuditEntryPage, AuditEntity, AuditAction],
  ...[PublicReview, Review, ReviewPage, ReviewInput, ExportedReview, ReviewImport, ReviewImportResult],
  ...[PublicBannerBlock, BannerBlock, BannerBlockInput, PublicFeatureItem, FeatureItem, FeatureItemInput],
  ...[Image, ImagePage, ImageUpload, ImageUse, ImageUseType],
  ...[LicencePrice, LicencePriceInput, LicenceTopup, LicenceTopupInput, LicenceBalance],
  ...[TestMail, TestMailResult, Health, Home],
  ...[StartedSync, SyncRun, SyncRunPage, SyncRunDetails, SyncState, SyncCounts, SyncFeed, SkippedRecord],
  ...[SyncType, SyncTrigger, RunStatus, FeedStatus],
  ...[StartedPipelineRun, PipelineRun, PipelineRunPage, PipelineRunDetails, PipelineStage],
  ...[PipelineStageName, PipelineStageStatus, SkippedOffer],
  ...[Snapshot, SnapshotPage, SnapshotDiff, OfferSummary, ChangedOffer, OfferField],
  ...[FeedCategory, MappedCategory, CategoryMappingInput, AttributeRule, AttributeRuleInput],
  ...[ImageOverride, ImageOverrideInput, ImageOverrideMode],
]
