export function imageUrl(id: number): string {
  return `/api/v1/images/${id}`
}

export function imageUrlOf(id: number | null | undefined): string | null {
  return id == null ? null : imageUrl(id)
}

export function withImageUrl<Row extends { image_id: number | null }>(row: Row) {
  return { ...row, image_url: imageUrlOf(row.image_id) }
}
