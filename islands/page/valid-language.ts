// On a system without a locale a browser names its language "C" or "" (WebKit does), which Intl
// refuses. uPlot gives that language to Intl when it is loaded, so it must be made valid before.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
}
