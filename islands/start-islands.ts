import type { boot, load } from './boot.ts'
import type { IslandName } from './registry.ts'
import { raisePreloadError } from './page/preload-error.ts'

type Islands = { boot: typeof boot; load: typeof load }
let islands: Islands | undefined
/** The tag of the page's own script names the islands' script. */
const address = () =>
  document.querySelector<HTMLScriptElement>('script[data-islands]')!.dataset['islands']!

/** Rejects when the code of an island of the page cannot be loaded. */
export async function bootIslands(): Promise<void> {
  islands ??= (await import(address())) as Islands
  await islands.boot()
}

/** Loads the code of an island that the page will get. */
export async function loadIsland(name: IslandName): Promise<void> {
  islands ??= (await import(address())) as Islands
  await islands.load([name])
}

/**
 * Starts the islands of the page, and those that htmx brings to it. It is done from here, so that a
 * failure is always reported.
 */
export function startIslands(): void {
  const fail = (cause: unknown) => raisePreloadError(`Unable to load ${address()}`, cause)
  const start = () => {
    if (islands || document.querySelector('[data-island]:not([data-later])'))
      bootIslands().catch(fail)
    if (document.querySelector('[data-later]'))
      import('./page/later.ts').then(({ wakeLater }) => wakeLater(bootIslands)).catch(fail)
  }
  document.addEventListener('htmx:after:process', start)
  start()
}
