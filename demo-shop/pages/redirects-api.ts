import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bearer } from '../apps/bearer.ts'
import { fieldsOf, text } from '../forms.ts'
import type { Redirects } from './redirects.ts'

/** The admin API for URL redirects. Every request needs the app's secret as a bearer token. */
export const redirectsApi: FastifyPluginAsync<{ redirects: Redirects; isAdmin: Bearer }> = async (
  app,
  { redirects, isAdmin },
) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })
  app.get('/admin/api/url_redirects.json', () => redirects.all())
  app.post('/admin/api/url_redirects.json', request => {
    const { path, target } = fieldsOf(request)
    return redirects.create(text(path), text(target))
  })
  app.delete<{ Params: { id: string } }>('/admin/api/url_redirects/:id', request => {
    redirects.remove(request.params.id)
    return { ok: true }
  })
}
