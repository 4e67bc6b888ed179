import { registerHooks } from 'node:module'

// openapi-typescript builds its output with TypeScript's JavaScript API, which TypeScript 7 doesn't have.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})
