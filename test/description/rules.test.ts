import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import owaspModule from '@stoplight/spectral-owasp-ruleset'
import rulesets from '@stoplight/spectral-rulesets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

// Its types say CommonJS, Node finds a module.
const owasp = 'default' in owaspModule ? owaspModule.default : owaspModule

/** A rule that looks at what clients send: what we answer is as long as what is stored. */
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
    // Names, comments, searches are free text: there is no pattern of what a person may be called.
    'owasp:api4:2023-string-restricted': 'off',
    // Ids are integers, as specified. Nobody gains by guessing one: access is checked for each record, and one that
    // the caller may not see is a 404.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // There is one kind of token; what its owner may do depends on the role, which test/access.test.ts checks.
    'owasp:api5:2023-admin-security-unique': 'off',
    // A storefront is public: browsing, registering, logging in, ordering as a guest. The list of what is open to
    // anyone is in test/access.test.ts, and whatever declares nothing keeps the server from starting.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
    // For the same reason not every route can answer 401; document.test.ts checks that those with a token do.
    'owasp:api8:2023-define-error-responses-401': 'off',
    // What costs something or can be guessed is limited (login, registration, orders, contacts, test mails), and says
    // when to come again with Retry-After; the others have no limit to tell of.
    'owasp:api4:2023-rate-limit': 'off',
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    // The same document is served to everybody: there is no second server for insiders.
    'owasp:api9:2023-inventory-access': 'off',
    // No origin is allowed unless CORS_ALLOWED_ORIGINS names it; those have the headers on every answer.
    'owasp:api8:2023-define-cors-origin': 'off',
    // It takes the member `content` of a page, and the schema's examples in it, for a media type with examples.
    'oas3-examples-value-or-externalValue': 'off',
  },
}

test('the description keeps the rules of OpenAPI and OWASP; what breaks them beside it is found out', {
  timeout: 120_000,
}, async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset(ruleset)
  const { text } = await shop.call('GET', '/v3/api-docs')
  const document = JSON.parse(text)
  const { schemas } = document.components
  // A second way to order, without a tag, and with a name as long as one likes.
  const { tags, ...bad } = structuredClone(document.paths['/api/v1/orders'].post)
  expect(tags).toHaveLength(1)
  schemas.BadOrder = structuredClone(schemas.NewOrder)
  delete schemas.BadOrder.properties.customerName.maxLength
  bad.operationId = 'orderBadly'
  bad.requestBody.content['application/json'].schema = { $ref: '#/components/schemas/BadOrder' }
  document.paths['/api/v1/bad-orders'] = { post: bad }
  const found = await linter.run(document)
  const said = found.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)
  expect(said.sort()).toEqual([
    expect.stringMatching(/^operation-tags: .* paths\.\/api\/v1\/bad-orders\.post/),
    expect.stringMatching(/^owasp:api4:2023-string-limit: .*bad-orders\.post\..*\.customerName/),
  ])
})
