/** The cookie in which the platform keeps what a visitor allows. */
export const consentCookie = '_tracking_consent'

/**
 * What the platform offers to scripts of a page, from its text: the privacy API (which a script
 * must load first), and the cart's actions and events. `asksConsent`: whether the shop asks its
 * visitors; where it does not, everything is allowed until they refuse.
 */
export function pageGlobals(asksConsent: boolean, cookieName: string): void {
  type Kind = 'analytics' | 'marketing' | 'preferences' | 'sale_of_data'
  type Consent = Partial<Record<Kind, boolean>>
  const kinds: Kind[] = ['analytics', 'marketing', 'preferences', 'sale_of_data']
  const told = (): Record<string, string> => {
    const kept = document.cookie.split('; ').find(each => each.startsWith(`${cookieName}=`))
    try {
      return JSON.parse(decodeURIComponent(kept!.slice(cookieName.length + 1))).con.CMP
    } catch {
      return {}
    }
  }
  const allows = (kind: Kind): boolean => {
    const said = told()[kind.charAt(0)] ?? ''
    return said === '1' || (said === '' && !asksConsent)
  }
  const keep = (consent: Consent): void => {
    const before = told()
    const CMP = Object.fromEntries(
      kinds.map(kind => [
        kind.charAt(0),
        consent[kind] === undefined ? (before[kind.charAt(0)] ?? '') : consent[kind] ? '1' : '0',
      ]),
    )
    const text = encodeURIComponent(JSON.stringify({ con: { CMP }, v: '2.1', region: 'US' }))
    document.cookie = `${cookieName}=${text};path=/;max-age=31536000;samesite=lax`
    const detail = {
      analyticsAllowed: allows('analytics'),
      marketingAllowed: allows('marketing'),
      preferencesAllowed: allows('preferences'),
      saleOfDataAllowed: allows('sale_of_data'),
      firstPartyMarketingAllowed: allows('marketing'),
      thirdPartyMarketingAllowed: allows('marketing'),
    }
    document.dispatchEvent(new CustomEvent('visitorConsentCollected', { detail }))
  }
  const customerPrivacy = {
    analyticsProcessingAllowed: () => allows('analytics'),
    marketingAllowed: () => allows('marketing'),
    preferencesProcessingAllowed: () => allows('preferences'),
    saleOfDataAllowed: () => allows('sale_of_data'),
    shouldShowBanner: () => asksConsent && told()['a'] === undefined,
    currentVisitorConsent: () => {
      const said = told()
      return Object.fromEntries(
        kinds.map(kind => [kind, { 1: 'yes', 0: 'no' }[said[kind.charAt(0)] ?? ''] ?? '']),
      )
    },
    setTrackingConsent: (consent: Consent, done?: () => void) => {
      keep(consent)
      done?.()
    },
  }
  const platform = ((window as { Shopify?: Record<string, unknown> }).Shopify ??= {})
  platform['loadFeatures'] = (
    features: { name: string; version: string }[],
    done?: (error?: Error) => void,
  ) => {
    const unknown = features.find(({ name }) => name !== 'consent-tracking-api')
    if (!unknown) platform['customerPrivacy'] = customerPrivacy
    // As a file that is loaded first.
    setTimeout(() => done?.(unknown && new Error(`There is no feature ${unknown.name}.`)))
  }
  // The banner of the shop's own pages, where it has one.
  document.addEventListener('shop:privacy', event => {
    const { analyticsAllowed } = (event as CustomEvent<{ analyticsAllowed?: boolean }>).detail
    if (analyticsAllowed !== undefined && told()['a'] !== (analyticsAllowed ? '1' : '0'))
      keep({ analytics: analyticsAllowed, marketing: analyticsAllowed })
  })
  platform['actions'] = {
    updateCart: async (changed: { attributes?: { key: string; value: string }[] }) => {
      const attributes = Object.fromEntries(
        (changed.attributes ?? []).map(({ key, value }) => [key, value]),
      )
      const answer = await fetch('/cart/update.js', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ attributes }),
      })
      const cart = (await answer.json()) as unknown
      document.dispatchEvent(new CustomEvent('shopify:cart:updated', { detail: { cart } }))
      return cart
    },
  }
}
