export function imageUrl(id: number): string {
  return `/api/v1/images/${id}`
}

export function imageUrlOf(id: number | null | undefined): string | null {
  return id == null ? null : imageUrl(id)
}
