import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../../domain/problem.ts'
import { adminPage } from '../../admin/admin-page.ts'
import type { PlatformViews } from '../../admin/platform-views.ts'
import { fieldsOf, text, type Fields } from '../../forms.ts'
import type { Themes } from '../../themes/themes.ts'
import { storePath } from '../launch.ts'
import { shopifyShop } from '../../shopify/shop-names.ts'
import type { ShopifyApp } from '../shopify-app.ts'
import { assetFolder } from './app-embeds.ts'
import type { EmbedSwitches } from './embed-switches.ts'
import type { ThemeExtension } from './theme-extension.ts'

type OfTheme = { Params: { store: string; id: string } }
const path = '/admin/store/:store/themes/:id/editor'

/**
 * The theme editor's list of app embeds, to which an app leads merchants by a deep link:
 * `?context=apps&activateAppId=<key or uid>/<block>`. The link switches the embed on, and nothing
 * is stored until the merchant saves.
 */
export const themeEditor: FastifyPluginAsync<{
  app: ShopifyApp
  themes: Themes
  extension: () => ThemeExtension | null
  switches: EmbedSwitches
  views: PlatformViews
}> = async (server, { app, themes, extension, switches, views }) => {
  const page = adminPage(views)
  const themeOf = ({ params }: FastifyRequest<OfTheme>) => {
    if (params.store !== shopifyShop.handle) throw new HttpProblem(404, 'There is no such store.')
    return themes.record(params.id === 'current' ? themes.live.id : params.id)
  }
  server.get<OfTheme>(path, (request, reply) => {
    const theme = themeOf(request),
      query = request.query as Fields,
      deployed = extension()
    const [who = '', asked = ''] = text(query['activateAppId']).split('/')
    const isOurs = [deployed?.uid, app.apiKey].includes(who)
    const blocks = (deployed?.blocks ?? []).map(({ handle, name }) => ({
      handle,
      name,
      isOn: switches.isOn(theme.id, handle),
      isAsked: isOurs && handle === asked,
    }))
    return page(reply, 'shopify-editor', {
      at: 'themes',
      theme,
      action: `${storePath}/themes/${theme.id}/editor`,
      app: app.title,
      blocks,
      // The platform's editor says so for a link with a wrong id.
      problem:
        query['activateAppId'] !== undefined && !blocks.some(({ isAsked }) => isAsked)
          ? `“${asked || who}” not added. There is a problem with the app block. Contact the app developer.`
          : '',
    })
  })
  server.post<OfTheme>(path, async (request, reply) => {
    const theme = themeOf(request),
      fields = fieldsOf(request)
    for (const { handle } of extension()?.blocks ?? []) {
      const isOn = text(fields[handle]) === 'on'
      if (isOn !== switches.isOn(theme.id, handle)) await switches.set(theme.id, handle, isOn)
    }
    return reply.redirect(`${storePath}/themes/${theme.id}/editor?context=apps&saved=1`, 303)
  })

  server.get<{ Params: { uid: string; file: string }; Querystring: { v?: unknown } }>(
    `${assetFolder}/:uid/:file`,
    ({ params, query }, reply) => {
      const deployed = extension()
      const asset = deployed?.uid === params.uid ? deployed.assets.get(params.file) : undefined
      if (!asset) return reply.code(404).type('text/plain').send('There is no such file.')
      const age = query.v === asset.version ? 'max-age=31536000, immutable' : 'max-age=60'
      return reply
        .type(asset.type)
        .header('cache-control', `public, ${age}`)
        .header('access-control-allow-origin', '*')
        .send(asset.body)
    },
  )
}
