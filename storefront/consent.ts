declare global {
  /** What the build decides: a store with one of these on is given a runtime of its own (engine/script/compose.ts). */
  const __TWINSHELF_SWITCHES__: {
    /** Visitors who have not agreed are as those who have refused. */
    asksConsent: boolean
    /** What is not read cannot be kept or sent. */
    isSparing: boolean
    /** The referrer stays what it is after a redirect. */
    keepsReferrer: boolean
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean
  }
  interface Window {
    /**
     * The shop's privacy signal. The theme or its consent banner sets it and dispatches `shopprivacychange` on window
     * when it changes. false: the visitor refused. Anything else: the shop says that it may count. Consent given late
     * counts from the next page on: a page does not change under its reader.
     */
    shopPrivacy?: { analyticsAllowed?: boolean }
  }
}

const said = (): boolean | undefined => window.shopPrivacy?.analyticsAllowed
/** The shop's signal says yes. */
export const isAllowed = (): true | undefined => said() === true || undefined

/** Refused by Global Privacy Control or by the shop's signal: the original, nothing stored, nothing sent. */
export const isRefused = (): boolean | undefined =>
  (__TWINSHELF_SWITCHES__.asksConsent ? said() !== true : said() === false) ||
  navigator.globalPrivacyControl
