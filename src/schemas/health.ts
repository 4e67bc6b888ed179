import { Type } from '@sinclair/typebox'

export const Health = Type.Object(
  { status: Type.Literal('UP', { description: 'Nothing else is ever said; what is down is a 503' }) },
  { $id: 'Health', description: 'All is well', examples: [{ status: 'UP' }] },
)

export const Home = Type.Object(
  {
    name: Type.String({ description: 'What answers here' }),
    links: Type.Record(Type.String(), Type.String({ description: 'Address on this server' }), {
      description: 'Where its parts are',
    }),
  },
  {
    $id: 'Home',
    description: 'Where things are',
    examples: [{ name: 'Shop backend', links: { storefront: '/api/v1/products', health: '/health/ready' } }],
  },
)
