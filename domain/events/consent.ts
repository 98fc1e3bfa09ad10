import type { Posted } from '../posted.ts'
import type { Parsed } from '../stores/store-form.ts'

/**
 * Rules for which visitors of a shop take part in tests and are counted: key to display name. The
 * first is a new store's rule.
 */
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
