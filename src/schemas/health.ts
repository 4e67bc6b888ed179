import { Type } from '@sinclair/typebox'

export const Health = Type.Object(
  { status: Type.Literal('UP', { description: 'Always UP: failures are a 503' }) },
  { $id: 'Health', description: 'The service works', examples: [{ status: 'UP' }] },
)

export const Home = Type.Object(
  {
    name: Type.String({ description: 'Name of the service' }),
    links: Type.Record(Type.String(), Type.String({ description: 'Path on this server' }), {
      description: 'Paths by name',
    }),
  },
  {
    $id: 'Home',
    description: 'Links to the parts of the API',
    examples: [{ name: 'Shop backend', links: { storefront: '/api/v1/products', health: '/health/ready' } }],
  },
)
