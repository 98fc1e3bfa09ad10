/**
 * The types of `window.twinshelf` (storefront/api.ts). A shop's developer can copy them from an API
 * test's draft. A test compiles them.
 */
export const shopApiTypes = `interface Window {
  /** It and each of its parts may be missing: when no test runs, or the visitor refused. */
  twinshelf?: {
    version: string
    /**
     * Whether this visitor sees this hypothesis. In a manual test, the first call assigns the
     * visitor to an arm.
     */
    isActive?: (hypothesisId: string) => boolean
    /** The visitor as the script knows them. */
    visitor?: () => { id: string; isNew: boolean; landing: string; referrer: string; tests: Record<string, 'control' | 'variant'> }
    /** false: the visitor refuses to be counted, and sees the control. */
    setConsent?: (isAllowed: boolean) => void
  }
}`
