declare global {
  /**
   * Constants that the build sets. A store that has one of these switches on gets its own runtime
   * (engine/script/compose.ts).
   */
  const __TWINSHELF_SWITCHES__: {
    /** Visitors who have not agreed are treated like visitors who refused. */
    asksConsent: boolean
    /** The script does not read the referrer, so it cannot be stored or sent. */
    isSparing: boolean
    /** The script does not change document.referrer after a redirect. */
    keepsReferrer: boolean
    /** Nothing is sent before the platform's privacy API has answered (page-apis/load-part.ts). */
    waits: boolean
  }
  interface Navigator {
    readonly globalPrivacyControl?: boolean
  }
  interface Window {
    /**
     * The shop's privacy signal. The theme or its consent banner sets it, and dispatches
     * `shopprivacychange` on window when it changes. false: the visitor refused. Any other value:
     * the shop allows counting (with `asksConsent`, only true does). Consent that is given late
     * counts from the next page on: a page does not change while it is being read. null: our own
     * script is still waiting for the platform's answer.
     */
    shopPrivacy?: { analyticsAllowed?: boolean | null | undefined }
  }
}

const said = (): boolean | null | undefined => window.shopPrivacy?.analyticsAllowed
/** true when the shop's signal says yes, else undefined. */
export const isAllowed = (): true | undefined => said() === true || undefined

/**
 * Whether the visitor refused, by Global Privacy Control or by the shop's signal: they see the
 * control, and nothing is stored or sent.
 */
export const isRefused = (): boolean | undefined =>
  (__TWINSHELF_SWITCHES__.asksConsent ? said() !== true : said() === false) ||
  navigator.globalPrivacyControl

/** Whether the platform has not said yet what the visitor allows. Until then nothing is sent. */
export const isUndecided = (): boolean => __TWINSHELF_SWITCHES__.waits && said() === null
