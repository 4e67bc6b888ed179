/** States of a contact request; staff set any of them (specification, "Contact request states"). */
export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]
