import { raisePreloadError } from './preload-error.ts'

/** Starts the islands that htmx brings to a page that came without any: the tag of the page's own script names theirs. */
export function watchIslands(): void {
  const url = document.querySelector<HTMLScriptElement>('script[data-islands]')?.dataset['islands']
  document.addEventListener('htmx:after:process', () => {
    if (!url || !document.querySelector('[data-island]')) return
    // A module runs once, whoever asks for it.
    import(url).catch((cause: unknown) => raisePreloadError(`Unable to load ${url}`, cause))
  })
}
