// A browser of a system without a locale names its language "C" or "" (WebKit does), which Intl refuses. uPlot asks Intl
// for that very language as it is loaded, so it has to be a valid one before.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
}
