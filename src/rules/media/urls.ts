/** Characters of the hash in an address; longer ones aren't needed to tell the versions of one image apart. */
const VERSION_LENGTH = 12

/** An image as its address names it. */
export type AddressedImage = { id: number; sha256: string }

/** The address carries the content, so that browsers may keep it for good (docs/http.md). */
export function imageUrl({ id, sha256 }: AddressedImage): string {
  return `/api/v1/images/${id}?v=${imageVersion(sha256)}`
}

export function imageVersion(sha256: string): string {
  return sha256.slice(0, VERSION_LENGTH)
}
