import { AuditEntry } from './audit.ts'
import { Session } from './auth.ts'
import { BannerBlock, PublicBannerBlock } from './banner-blocks.ts'
import { Brand } from './brands.ts'
import { Cart } from './cart.ts'
import { Category, CategoryNode, NavigationCategory } from './categories.ts'
import { ErrorBody, Unauthorized } from './common.ts'
import { ContactRequest } from './contacts.ts'
import { FeatureItem, PublicFeatureItem } from './feature-items.ts'
import { LicenceBalance, LicencePrice, LicenceTopup } from './licence.ts'
import { TestMailResult } from './notifications.ts'
import { Order, OrderDetails, OrderItem } from './orders.ts'
import { Product, ProductAttribute, ProductCard } from './products.ts'
import { PublicReview, Review, ReviewImportResult } from './reviews.ts'
import { PublicSetting, PublicSettings, Setting } from './settings.ts'
import { StartedSync, SyncRun, SyncRunDetails, SyncState } from './sync.ts'
import { User } from './users.ts'

/** What the API description names: every schema with an `$id`. */
export const SCHEMAS = [
  ...[ErrorBody, Unauthorized],
  ...[Setting, PublicSettings, PublicSetting],
  ...[Session, User, AuditEntry],
  ...[ContactRequest, TestMailResult],
  ...[ProductAttribute, Product, ProductCard],
  ...[NavigationCategory, CategoryNode, Category, Brand, Cart],
  ...[OrderItem, Order, OrderDetails],
  ...[PublicReview, Review, ReviewImportResult],
  ...[PublicBannerBlock, BannerBlock, PublicFeatureItem, FeatureItem],
  ...[LicencePrice, LicenceTopup, LicenceBalance],
  ...[StartedSync, SyncRun, SyncRunDetails, SyncState],
]
