import type { FastifyInstance } from 'fastify'
import { adminApi, type AdminApiOptions } from '../admin/admin-api.ts'
import type { ScriptSwitches } from '../admin/script-switches.ts'
import { productsApi } from '../catalogue/products-api.ts'
import { redirectsApi } from '../pages/redirects-api.ts'
import type { Redirects } from '../pages/redirects.ts'
import type { Assignments } from '../themes/assignments.ts'
import { themesApi } from '../themes/themes-api.ts'
import { type AppPictures, picturesApi } from './app-pictures.ts'
import { type AppPixels, pixelApi } from './app-pixel.ts'
import { type PriceRules, priceRulesApi } from './price-rules.ts'
import type { WriteParts } from './write-parts.ts'

export type AppApiOptions = AdminApiOptions & {
  adminOrigin: string
  assignments: Assignments
  scriptSwitches: ScriptSwitches
  parts: WriteParts
  pictures: AppPictures
  pixels: AppPixels
  priceRules: PriceRules
  redirects: Redirects
}

/** Everything that an installed app may read and do, behind its access tokens. */
export async function appApis(app: FastifyInstance, all: AppApiOptions): Promise<void> {
  await app.register(adminApi, all)
  await app.register(themesApi, all)
  await app.register(picturesApi, all)
  await app.register(pixelApi, all)
  await app.register(productsApi, all)
  await app.register(priceRulesApi, all)
  await app.register(redirectsApi, all)
}
