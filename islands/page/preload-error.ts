/**
 * Dispatched on `window` when a stylesheet or a script of the page could not be loaded; `detail` is
 * the Error.
 */
export const preloadErrorEvent = 'preloadError'

/**
 * Dispatches the event and shows a note on the page, unless a listener prevents that. The page
 * works without what is missing.
 */
export function raisePreloadError(what: string, cause?: unknown): void {
  const error = new Error(what, { cause })
  if (
    !dispatchEvent(new CustomEvent(preloadErrorEvent, { detail: error, cancelable: true })) ||
    document.querySelector('.preload-error')
  )
    return
  const note = document.createElement('div')
  note.className = 'banner preload-error'
  note.dataset.tone = 'warn'
  note.setAttribute('role', 'alert')
  const reload = document.createElement('button')
  reload.type = 'button'
  reload.textContent = 'Reload'
  reload.addEventListener('click', () => location.reload())
  note.append('A part of this page could not be loaded. The page works without it. ', reload)
  // In the page's own content, so that it covers nothing that people need.
  const place = document.querySelector('main') ?? document.body
  place.prepend(note)
}

/** Uses a part of the page's script when it is there. Reports a part that cannot be loaded. */
export function withPart<Part>(
  name: string,
  part: Promise<Part>,
  use: (part: Part) => unknown,
  without = () => {},
): void {
  part.then(use, (cause: unknown) => {
    raisePreloadError(`Unable to load ${name}`, cause)
    without()
  })
}

/**
 * Reports stylesheets and scripts that could not be loaded. A missing stylesheet has no rules, so
 * it is found even if it failed early; a script reports its failure only to somebody who listens at
 * that moment.
 */
export function watchLoading(): void {
  document.addEventListener(
    'error',
    ({ target }) => {
      // Scripts of other sites are often blocked on purpose, and no page needs them.
      if (target instanceof HTMLScriptElement && target.src.startsWith(`${location.origin}/`))
        raisePreloadError(`Unable to load ${target.src}`)
    },
    true,
  )
  const check = () => {
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
      if (isMissing(link)) raisePreloadError(`Unable to preload CSS for ${link.href}`)
  }
  if (document.readyState === 'complete') check()
  else addEventListener('load', check, { once: true })
}

/**
 * Whether a stylesheet is missing. Browsers give a failed one a sheet too: an empty one, or one
 * whose rules may not be read.
 */
function isMissing({ sheet }: HTMLLinkElement): boolean {
  try {
    return !sheet?.cssRules.length
  } catch {
    return true
  }
}
