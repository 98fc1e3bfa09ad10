import type { EngineContext } from '../context.ts'
import type { Serve } from '../http/routes.ts'

/** Serves the shop's resources that have pages of their own, and the template that draws each. */
export function templateResources(serve: Serve, { platform }: EngineContext): void {
  serve(
    'templateResources',
    async ({ query: { type, suffix, search = '', limit = 50 } }, { shop }) => {
      const { items, total } = await platform.resourcePage(shop, type, {
        query: search.trim(),
        ...(suffix !== undefined && { suffix }),
      })
      return {
        count: total,
        items: items
          .sort((a, b) => a.title.localeCompare(b.title))
          .slice(0, limit)
          .map(({ id, title, path, suffix: own }) => ({ id, title, path, suffix: own })),
      }
    },
  )
}
