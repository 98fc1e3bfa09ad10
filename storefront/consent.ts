declare global {
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
  said() === false || navigator.globalPrivacyControl
