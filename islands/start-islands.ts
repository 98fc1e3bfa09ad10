import { raisePreloadError } from './page/preload-error.ts'

/**
 * Starts the islands of the page, and those that htmx brings to a page that came without any. The
 * tag of the page's own script names the islands' script. It is loaded from here, so that a failure
 * is always reported.
 */
export function startIslands(): void {
  const url = document.querySelector<HTMLScriptElement>('script[data-islands]')?.dataset['islands']
  const start = () => {
    if (!url || !document.querySelector('[data-island]')) return
    // A module runs only once, however often it is imported.
    import(url).catch((cause: unknown) => raisePreloadError(`Unable to load ${url}`, cause))
  }
  document.addEventListener('htmx:after:process', start)
  start()
}
