import type { FastifyPluginAsync } from 'fastify'
import { adminPage, formDone } from './admin-page.ts'
import type { Details } from './details.ts'
import { fieldsOf, text } from '../forms.ts'
import type { PlatformViews } from './platform-views.ts'

/** The back office's page for the shop's name and e-mail address. */
export const detailsAdmin: FastifyPluginAsync<{ details: Details; views: PlatformViews }> = async (
  app,
  { details, views },
) => {
  const page = adminPage(views)
  app.get('/admin/settings', (_, reply) =>
    page(reply, 'admin-settings', { at: 'settings', values: details.current() }),
  )
  app.post('/admin/settings', (request, reply) => {
    const fields = fieldsOf(request)
    const values = { name: text(fields['name']), email: text(fields['email']) }
    return formDone(
      reply,
      () => details.update(values),
      '/admin/settings',
      ({ status, message }) =>
        page(reply.code(status), 'admin-settings', { at: 'settings', values, problem: message }),
    )
  })
}
