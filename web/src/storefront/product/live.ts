import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schemas } from '../api.ts'

type Card = Schemas['ProductCard']

const MAX_DELAY_MS = 30_000
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The product with the price and the availability that it has now (docs/events.md). */
export function useLiveProduct(product: Card): Card {
  const { id } = product
  const client = useQueryClient()
  const [current, setCurrent] = useState<Partial<Card>>({})

  useEffect(() => {
    let socket: WebSocket | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isClosed = false
    const refresh = () => void client.invalidateQueries({ queryKey: ['product'] })

    function connect(): void {
      socket = new WebSocket(`${window.location.origin.replace('http', 'ws')}/ws/events`)
      socket.onopen = () => socket?.send(JSON.stringify({ type: 'subscribe', topics: [`product:${id}`] }))
      socket.onmessage = ({ data }) => {
        const message: unknown = JSON.parse(String(data))
        if (!isObject(message)) return
        if (message.type === 'resync' || (message.type === 'subscribed' && failures > 0)) refresh()
        if (message.type === 'subscribed') failures = 0
        if (message.type === 'product.changed' && message.id === id) {
          const { finalPrice, available } = message
          const isPriced = typeof finalPrice === 'number' || finalPrice === null
          if (isPriced && typeof available === 'boolean') setCurrent({ finalPrice, available })
          refresh()
        }
      }
      socket.onclose = () => {
        if (isClosed) return
        failures += 1
        timer = setTimeout(connect, Math.random() * Math.min(MAX_DELAY_MS, 500 * 2 ** failures))
      }
    }

    connect()
    return () => {
      isClosed = true
      clearTimeout(timer)
      socket?.close()
    }
  }, [id, client])

  // What has been read since then is newer.
  useEffect(() => {
    if (product.updatedAt) setCurrent({})
  }, [product])

  return { ...product, ...current }
}
