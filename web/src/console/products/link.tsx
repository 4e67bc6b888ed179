import { Link } from '@tanstack/react-router'

export function ProductLink({ id, name }: { id: number; name: string }) {
  return (
    <Link to="/products/$id" params={{ id: String(id) }}>
      {name}
    </Link>
  )
}
