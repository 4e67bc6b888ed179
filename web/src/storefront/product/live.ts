import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { connectEvents } from '../../api/socket.ts'
import type { Schemas } from '../api.ts'

type Card = Schemas['ProductCard']

/** The product with the price and the availability that it has now (docs/events.md). */
export function useLiveProduct(product: Card): Card {
  const { id } = product
  const client = useQueryClient()
  const [current, setCurrent] = useState<Partial<Card>>({})

  useEffect(() => {
    const refresh = () => void client.invalidateQueries({ queryKey: ['product'] })
    return connectEvents({
      onOpen: (send, isAgain) => {
        send({ type: 'subscribe', topics: [`product:${id}`] })
        if (isAgain) refresh()
      },
      onMessage: ({ type, id: changed, finalPrice, available }) => {
        if (type === 'resync') refresh()
        if (type !== 'product.changed' || changed !== id) return
        const isPriced = typeof finalPrice === 'number' || finalPrice === null
        if (isPriced && typeof available === 'boolean') setCurrent({ finalPrice, available })
        refresh()
      },
    })
  }, [id, client])

  // What has been read since then is newer.
  useEffect(() => {
    if (product.updatedAt) setCurrent({})
  }, [product])

  return { ...product, ...current }
}
