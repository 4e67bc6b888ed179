const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.8,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path {...line} d={path} />
    </svg>
  )
}

export const GridIcon = () => <Icon path="M4 6h16M4 12h16M4 18h16" />
export const SearchIcon = () => <Icon path="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM15.5 15.5 20 20" />
export const AccountIcon = () => (
  <Icon path="M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4.5 20c1-4 4-5.5 7.500-5.500s6.500 1.500 7.500 5.500" />
)
export const CartIcon = () => <Icon path="M3 4h2.500l2.200 11h10l2-8H6.500M9 19.500h.01M17 19.500h.01" />
