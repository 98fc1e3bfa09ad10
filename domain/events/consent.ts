import type { Posted } from '../posted.ts'
import type { Parsed } from '../stores/store-form.ts'

/** Who of a shop's visitors takes part in tests and is counted: key to display name, the first is what a store begins with. */
export const consentRules = {
  unlessRefused: 'Everyone who has not refused',
  afterConsent: 'Only visitors who have agreed',
} as const
export type ConsentRule = keyof typeof consentRules
export const consentRuleNames = Object.keys(consentRules) as ConsentRule[]

export function parseConsent(posted: Posted): Parsed<{ rule: ConsentRule }> {
  const rule = consentRuleNames.find(name => name === posted['consent'])
  return rule
    ? { value: { rule }, problems: [] }
    : { value: null, problems: [{ field: 'consent', message: 'Choose who is counted.' }] }
}
