import type { EngineContext } from '../context.ts'
import type { Serve } from '../http/routes.ts'

/** Serves the shop's resources that have pages of their own, and the template that draws each. */
export function templateResources(serve: Serve, { platform }: EngineContext): void {
  serve(
    'templateResources',
    async ({ query: { type, suffix, search = '', limit = 50 } }, { shop }) => {
      const wanted = search.trim().toLowerCase()
      const all = (await platform.resources(shop, type))
        .filter(
          each =>
            (suffix === undefined || each.suffix === suffix) &&
            (!wanted ||
              each.title.toLowerCase().includes(wanted) ||
              each.handle.toLowerCase().includes(wanted)),
        )
        .sort((a, b) => a.title.localeCompare(b.title))
      return {
        count: all.length,
        items: all
          .slice(0, limit)
          .map(({ id, title, path, suffix: own }) => ({ id, title, path, suffix: own })),
      }
    },
  )
}
