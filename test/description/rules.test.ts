import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import owaspModule from '@stoplight/spectral-owasp-ruleset'
import rulesets from '@stoplight/spectral-rulesets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describedApi, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

// Its types declare CommonJS, but Node loads an ES module.
const owasp = 'default' in owaspModule ? owaspModule.default : owaspModule

/** Limits a rule to requests: responses are as long as the stored data. */
function forInput(name: keyof typeof owasp.rules, type: string) {
  const where = ['$.paths[*][*].parameters', '$.paths[*][*].requestBody'].flatMap((input) => [
    `${input}..[?(@ && @.type=="${type}")]`,
    `${input}..[?(@ && @.type && @.type.constructor.name==="Array" && @.type.includes("${type}"))]`,
  ])
  return { ...owasp.rules[name], given: where }
}

const ruleset: RulesetDefinition = {
  extends: [
    [{ ...rulesets.oas, extends: [] }, 'recommended'],
    [owasp, 'recommended'],
  ],
  rules: {
    'owasp:api4:2023-array-limit': forInput('owasp:api4:2023-array-limit', 'array'),
    'owasp:api4:2023-string-limit': forInput('owasp:api4:2023-string-limit', 'string'),
    // Names, comments and searches are free text without a pattern.
    'owasp:api4:2023-string-restricted': 'off',
    // Ids are integers, as specified. Guessing one is useless: access is checked for each record, and one that the
    // caller may not see is a 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // There is one kind of token; permissions depend on the role, which test/access.test.ts checks.
    'owasp:api5:2023-admin-security-unique': 'off',
    // Browsing, registration, login and guest orders are public. test/access.test.ts lists the public routes, and the
    // server doesn't start with a route without access.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
    // Therefore not every route has a 401; document.test.ts checks those with a token.
    'owasp:api8:2023-define-error-responses-401': 'off',
    // Whoever has an order's link may see it, as specified. Logs have route patterns instead of paths.
    'owasp:api2:2023-no-credentials-in-url': 'off',
    // Login, registration, orders, contacts and test mails are limited and send Retry-After; others have no limit.
    'owasp:api4:2023-rate-limit': 'off',
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    // The same document is served to all clients: there is no internal server.
    'owasp:api9:2023-inventory-access': 'off',
    // CORS_ALLOWED_ORIGINS lists the allowed origins; they get the headers with every response.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
}

/** Without examples, which document.test.ts checks: they would double the time. */
function parseWithoutExamples(text: string) {
  return JSON.parse(text, (key, value) => (/^examples?$/.test(key) ? undefined : value))
}

test('the description follows the rules of OpenAPI and OWASP, and violations are detected', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset(ruleset)
  const document = parseWithoutExamples(await describedApi(shop.app))
  const { schemas } = document.components
  // An operation without a tag, with an unlimited string.
  const { tags, ...bad } = structuredClone(document.paths['/api/v1/orders'].post)
  expect(tags).toHaveLength(1)
  schemas.BadOrder = structuredClone(schemas.NewOrder)
  delete schemas.BadOrder.properties.customerName.maxLength
  bad.operationId = 'orderBadly'
  bad.requestBody.content['application/json'].schema = { $ref: '#/components/schemas/BadOrder' }
  document.paths['/api/v1/bad-orders'] = { post: bad }
  const found = await linter.run(document)
  const violations = found.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)
  expect(violations.sort()).toEqual([
    expect.stringMatching(/^operation-tags: .* paths\.\/api\/v1\/bad-orders\.post/),
    expect.stringMatching(/^owasp:api4:2023-string-limit: .*bad-orders\.post\..*\.customerName/),
  ])
})
