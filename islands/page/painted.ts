/** Milliseconds after the load by which a browser has painted the page, if it does not tell. */
const atMost = 5_000

/**
 * Resolves once the browser has painted something of the page. What only matters afterwards waits
 * for it, so that the page is seen sooner. A page in the background is not painted, and a person
 * who presses something has seen it.
 */
export const painted = new Promise<void>(resolve => {
  const done = () => resolve()
  if (document.visibilityState === 'hidden') return done()
  for (const sign of ['keydown', 'pointerdown', 'visibilitychange'])
    addEventListener(sign, done, { once: true, capture: true, passive: true })
  const waitLonger = () => setTimeout(done, atMost)
  if (document.readyState === 'complete') waitLonger()
  else addEventListener('load', waitLonger, { once: true })
  try {
    new PerformanceObserver(list => {
      if (list.getEntriesByName('first-contentful-paint').length > 0) done()
    }).observe({ type: 'paint', buffered: true })
  } catch {
    // Then the time decides.
  }
})
