/**
 * The types of `window.twinshelf` (storefront/api.ts). A shop's developer can copy them from an API
 * test's draft. A test compiles them.
 */
export const shopApiTypes = `interface Window {
  /** Every part may be missing: nothing runs, or the visitor refused. */
  twinshelf?: {
    version: string
    /**
     * Whether this visitor is shown this hypothesis. Of a manual test, the first asking puts them
     * into it.
     */
    isActive?: (hypothesisId: string) => boolean
    /** Who the script takes the visitor for. */
    visitor?: () => { id: string; isNew: boolean; landing: string; referrer: string; tests: Record<string, 'control' | 'variant'> }
    /** false: the visitor refuses to be counted, and gets the original. */
    setConsent?: (isAllowed: boolean) => void
  }
}`
