import { useSyncExternalStore } from 'react'

export type CartLine = { productId: number; quantity: number }

const KEY = 'shop_cart'
const MAX_LINES = 100
const MAX_QUANTITY = 9999
const listeners = new Set<() => void>()
let lines = readLines()

function readLines(): readonly CartLine[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isLine) : []
  } catch {
    return []
  }
}

function isLine(value: unknown): value is CartLine {
  if (typeof value !== 'object' || value === null || !('productId' in value) || !('quantity' in value)) return false
  return Number.isSafeInteger(value.productId) && Number.isSafeInteger(value.quantity)
}

function writeLines(next: readonly CartLine[]): void {
  lines = next
  localStorage.setItem(KEY, JSON.stringify(next))
  for (const listener of listeners) listener()
}

// Another tab has changed it.
window.addEventListener('storage', ({ key }) => {
  if (key !== KEY && key !== null) return
  lines = readLines()
  for (const listener of listeners) listener()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useCart(): readonly CartLine[] {
  return useSyncExternalStore(subscribe, () => lines)
}

export function addToCart(productId: number, quantity = 1): void {
  const line = lines.find((one) => one.productId === productId)
  if (line !== undefined) setQuantity(productId, line.quantity + quantity)
  else if (lines.length < MAX_LINES) writeLines([...lines, { productId, quantity }])
}

/** @param quantity 0 removes the line */
export function setQuantity(productId: number, quantity: number): void {
  if (quantity < 1) writeLines(lines.filter((line) => line.productId !== productId))
  else {
    const limited = Math.min(quantity, MAX_QUANTITY)
    writeLines(lines.map((line) => (line.productId === productId ? { productId, quantity: limited } : line)))
  }
}

export function emptyCart(): void {
  writeLines([])
}
