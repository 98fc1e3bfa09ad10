import type { FastifyInstance } from 'fastify'
import type { Capabilities } from '../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Themes } from '../themes/themes.ts'
import type { ShopCapabilities } from './capabilities.ts'

type Asked = { id: string; body: unknown; themes: Themes }
type Rule = (can: Capabilities, asked: Asked) => { field: string; message: string } | null

const themeWrites: Rule = ({ themeWrites }) =>
  themeWrites
    ? null
    : { field: 'themes', message: 'Apps may not write to themes. Only the merchant may.' }
const newTemplates: Rule = ({ copies }, { id, body, themes }) => {
  if (copies === 'ours') return null
  const files = (body as { files?: unknown } | null)?.files
  const names = (Array.isArray(files) ? files : []).map(file => (file as { name?: unknown })?.name)
  const there = new Set(themes.files(id).map(({ name }) => name))
  const made = names.find(
    name => typeof name === 'string' && name.startsWith('templates/') && !there.has(name),
  )
  return made === undefined
    ? null
    : {
        field: String(made),
        message: 'Apps may not make new templates here. The merchant makes the copy.',
      }
}

/** Requests of apps that a shop may refuse, by method and route. */
const rules: Record<string, readonly Rule[]> = {
  'PUT /admin/api/themes/:id/files.json': [themeWrites, newTemplates],
  'DELETE /admin/api/themes/:id/files.json': [themeWrites],
  'POST /admin/api/themes/:id/publish': [themeWrites],
  'PUT /admin/api/price-rules': [
    ({ priceWay }, { body }) =>
      priceWay === 'none' && Array.isArray(body) && body.length > 0
        ? { field: 'rules', message: 'This shop has no price rules of apps.' }
        : null,
  ],
  'POST /admin/api/url_redirects.json': [
    ({ redirects }) =>
      redirects === 'none' ? { field: 'path', message: 'This shop has no redirects.' } : null,
  ],
}

/**
 * Refuses what apps ask for and this shop cannot do. After the check of the app's secret, so that
 * strangers learn nothing.
 */
export function capabilityRules(
  app: FastifyInstance,
  capabilities: ShopCapabilities,
  themes: Themes,
): void {
  app.addHook('preHandler', async ({ method, routeOptions, params, body }) => {
    const { id = '' } = (params ?? {}) as { id?: string }
    for (const rule of rules[`${method} ${routeOptions.url}`] ?? []) {
      const refused = rule(capabilities.current(), { id, body, themes })
      if (refused) throw new HttpProblem(422, refused.message, [refused])
    }
  })
}
