import type { boot, load } from './boot.ts'
import type { IslandName } from './registry.ts'
import { painted } from './page/painted.ts'
import { raisePreloadError } from './page/preload-error.ts'
import { isTouched } from './page/touched.ts'

type Islands = { boot: typeof boot; load: typeof load }
let islands: Islands | undefined
/** What the tag of the page's own script says: where the islands' script and their files are. */
const told = () => document.querySelector<HTMLScriptElement>('script[data-islands]')!.dataset
const address = () => told()['islands']!

/** The script of the islands, which brings React: never before the page is painted. */
async function loaded(): Promise<Islands> {
  await painted
  return (islands ??= (await import(address())) as Islands)
}

/** Rejects when the code of an island of the page cannot be loaded. */
export async function bootIslands(): Promise<void> {
  await (await loaded()).boot()
}

/** Loads the code of an island that the page will get. */
export async function loadIsland(name: IslandName): Promise<void> {
  await (await loaded()).load([name])
}

/** Loads these files at once. The server names them, so that they need not wait for each other. */
function loadFiles(files: string | undefined): void {
  // What cannot be loaded is reported where it is needed.
  for (const url of files?.split(' ') ?? []) import(url).catch(() => {})
}

/**
 * Starts the islands of the page, and those that htmx brings to it. It is done from here, so that a
 * failure is always reported.
 */
export function startIslands(): void {
  const fail = (cause: unknown) => raisePreloadError(`Unable to load ${address()}`, cause)
  const start = () => {
    if (document.querySelector('[data-island]:not([data-later])')) {
      void painted.then(() => loadFiles(told()['code']))
      bootIslands().catch(fail)
    } else if (islands) bootIslands().catch(fail)
    if (!document.querySelector('[data-later], #autosave')) return
    import('./page/later.ts')
      .then(({ wakeLater }) =>
        wakeLater({
          isTouched,
          painted,
          raise: raisePreloadError,
          boot: () => {
            loadFiles(told()['codeLater'])
            return bootIslands()
          },
        }),
      )
      .catch(fail)
  }
  document.addEventListener('htmx:after:process', start)
  start()
}
