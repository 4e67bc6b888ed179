import { Type } from '@sinclair/typebox'
import { NamedObject, Text } from './common.ts'

export const Health = NamedObject('Health', 'The service works', {
  status: Type.Literal('UP', { description: 'Always UP: failures are a 503' }),
})

export const Home = NamedObject('Home', 'Links to the parts of the API', {
  name: Text('Name of the service', 'Shop backend'),
  links: Type.Record(Type.String(), Text('Path on this server'), {
    description: 'Paths by name',
    examples: [{ storefront: '/api/v1/products', health: '/health/ready' }],
  }),
})
