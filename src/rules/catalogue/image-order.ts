import { MAX_INT } from '../lists.ts'

type Placed = { id: number; displayOrder: number }

/**
 * Places an image among a product's others, given in display order. Later images move back as far as necessary, so that no
 * two have the same display order; if there is no room, all are renumbered.
 */
export function placeImage(images: Placed[], image: Placed): Placed[] {
  const others = images.filter(({ id }) => id !== image.id)
  const before = others.filter(({ displayOrder }) => displayOrder < image.displayOrder)
  const placed: Placed[] = []
  for (const { id, displayOrder } of [...before, image, ...others.slice(before.length)]) {
    const least = (placed.at(-1)?.displayOrder ?? displayOrder - 1) + 1
    placed.push({ id, displayOrder: Math.max(displayOrder, least) })
  }
  const hasRoom = (placed.at(-1)?.displayOrder ?? 0) <= MAX_INT
  return hasRoom ? placed : placed.map(({ id }, index) => ({ id, displayOrder: index }))
}
