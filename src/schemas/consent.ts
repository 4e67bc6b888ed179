import { Type } from '@sinclair/typebox'

/** The agreement of a person who sends a form. */
export const Consent = Type.Optional(
  Type.Boolean({
    description: 'Whether the sender agrees to the privacy policy; must be true if the setting `consent_required` is',
    examples: [true],
  }),
)
