import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AssignedType } from '../../domain/themes/template.ts'
import type { Platform } from './adapter.ts'
import type { ResourceAsk, ShopResource } from './themes.ts'

/** How many resources one call may name, by id or by path. */
const idsAtOnce = 250,
  pathsAtOnce = 100

/** Pages of the shop's resources, one after the other. Other work gets its turn between two. */
export async function* resourcePages(
  platform: Platform,
  shop: string,
  type: AssignedType,
  ask: ResourceAsk = {},
): AsyncGenerator<ShopResource[]> {
  for (let cursor = ask.cursor ?? null; ; await nextTurn()) {
    const page = await platform.resourcePage(shop, type, { ...ask, cursor })
    yield page.items
    cursor = page.endCursor
    if (!page.hasNext || cursor === null) return
  }
}

/** How many resources match. */
export const countResources = async (
  platform: Platform,
  shop: string,
  type: AssignedType,
  ask: ResourceAsk,
): Promise<number> => (await platform.resourcePage(shop, type, { ...ask, pageSize: 1 })).total

/** The resources with these ids. Those that no longer exist are left out. */
export const resourcesById = (
  platform: Platform,
  shop: string,
  type: AssignedType,
  ids: readonly string[],
): Promise<ShopResource[]> =>
  inParts(ids, idsAtOnce, part => platform.resourcePage(shop, type, { ids: part }))

/** The resources with these paths. */
export const resourcesAt = (
  platform: Platform,
  shop: string,
  type: AssignedType,
  paths: readonly string[],
): Promise<ShopResource[]> =>
  inParts(paths, pathsAtOnce, part => platform.resourcePage(shop, type, { paths: part }))

async function inParts(
  names: readonly string[],
  size: number,
  read: (part: string[]) => Promise<{ items: ShopResource[] }>,
): Promise<ShopResource[]> {
  const found: ShopResource[] = []
  for (let from = 0; from < names.length; from += size)
    found.push(...(await read(names.slice(from, from + size))).items)
  return found
}
