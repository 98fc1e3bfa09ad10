import type { AssignedType } from '../../../../domain/themes/template.ts'
import type { Platform } from '../../../../engine/platform/adapter.ts'
import type { ShopResource } from '../../../../engine/platform/themes.ts'
import { resourcePages } from '../../../../engine/platform/resources.ts'

/** All resources of a type. Tests have small shops. */
export async function allResources(
  platform: Platform,
  shop: string,
  type: AssignedType,
): Promise<ShopResource[]> {
  const all: ShopResource[] = []
  for await (const page of resourcePages(platform, shop, type)) all.push(...page)
  return all
}

/** A platform that can also be asked for all resources at once. */
export type TestPlatform = Platform & {
  resources: (shop: string, type: AssignedType) => Promise<ShopResource[]>
}
export const withResources = (platform: Platform): TestPlatform => ({
  ...platform,
  resources: (shop, type) => allResources(platform, shop, type),
})
