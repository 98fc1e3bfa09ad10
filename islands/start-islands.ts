import { raisePreloadError } from './page/preload-error.ts'

/**
 * Starts the islands of the page, those too that htmx brings to one that came without any: the tag of the page's own
 * script names theirs. Asked for from here, so that one that cannot be had is always told about.
 */
export function startIslands(): void {
  const url = document.querySelector<HTMLScriptElement>('script[data-islands]')?.dataset['islands']
  const start = () => {
    if (!url || !document.querySelector('[data-island]')) return
    // A module runs once, whoever asks for it.
    import(url).catch((cause: unknown) => raisePreloadError(`Unable to load ${url}`, cause))
  }
  document.addEventListener('htmx:after:process', start)
  start()
}
