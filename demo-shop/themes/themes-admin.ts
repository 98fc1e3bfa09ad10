import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { adminPage, formDone } from '../admin/admin-page.ts'
import { fieldsOf, text, type Fields } from '../forms.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import type { ScriptSwitches } from '../admin/script-switches.ts'
import type { Experiments } from './experiments.ts'
import { fileLimits } from './theme-files.ts'
import type { Themes } from './themes.ts'

type ById = { Params: { id: string } }

/** The back office's pages about themes: publish, delete and restore them, edit their files. */
export const themesAdmin: FastifyPluginAsync<{
  themes: Themes
  scriptSwitches: ScriptSwitches
  experiments: Experiments
  views: PlatformViews
}> = async (app, { themes, scriptSwitches, experiments, views }) => {
  const page = adminPage(views)
  const list = (reply: FastifyReply, problem = '') =>
    page(reply, 'admin-themes', {
      at: 'themes',
      themes: themes.list(),
      deleted: themes.deleted(),
      hasExperiments: experiments.isOffered(),
      experiments: experiments.running().map(each => ({
        ...each,
        theme: themes.list().find(({ id }) => id === each.themeId)?.name ?? 'a deleted theme',
      })),
      problem,
    })
  const file = (
    request: FastifyRequest<ById>,
    reply: FastifyReply,
    name: string,
    body: string,
    problem = '',
  ) =>
    page(reply, 'admin-theme-file', {
      at: 'themes',
      edited: themes.record(request.params.id),
      name,
      body,
      problem,
      isThere: themes.files(request.params.id, [name]).length > 0,
    })

  app.get('/admin/themes', (_, reply) => list(reply))
  app.get<ById>('/admin/themes/:id', (request, reply) => {
    const folders = [
      ...Map.groupBy(themes.files(request.params.id), ({ name }) => name.split('/')[0]!),
    ].map(([folder, files]) => ({ folder, files }))
    return page(reply, 'admin-theme', {
      at: 'themes',
      edited: themes.record(request.params.id),
      folders,
      script: scriptSwitches.stateOf(request.params.id),
    })
  })
  app.post<ById>('/admin/themes/:id/script', (request, reply) => {
    scriptSwitches.set(request.params.id, text(fieldsOf(request)['to']) === 'on')
    return reply.redirect(`/admin/themes/${encodeURIComponent(request.params.id)}#app-script`, 303)
  })
  for (const [name, act] of [
    ['publish', themes.publish],
    ['delete', themes.removeTheme],
    ['restore', themes.restoreTheme],
  ] as const)
    app.post<ById>(`/admin/themes/:id/${name}`, (request, reply) =>
      formDone(
        reply,
        () => act(request.params.id),
        '/admin/themes',
        ({ status, message }) => list(reply.code(status), message),
      ),
    )

  app.post<ById>('/admin/themes/:id/duplicate', (request, reply) =>
    formDone(
      reply,
      () => {
        const { id } = themes.duplicate(request.params.id, text(fieldsOf(request)['name']))
        scriptSwitches.copy(request.params.id, id)
      },
      '/admin/themes',
      ({ status, message }) => list(reply.code(status), message),
    ),
  )

  app.post('/admin/experiments', (request, reply) => {
    const fields = fieldsOf(request)
    return formDone(
      reply,
      () => void experiments.start(text(fields['name']), text(fields['theme'])),
      '/admin/themes#experiments',
      ({ status, message }) => list(reply.code(status), message),
    )
  })
  app.post<ById>('/admin/experiments/:id/end', (request, reply) => {
    experiments.end(request.params.id)
    return reply.redirect('/admin/themes#experiments', 303)
  })

  // A name that does not exist yet opens an empty file.
  app.get<ById>('/admin/themes/:id/file', (request, reply) => {
    const name = text((request.query as Fields)['name'])
    return file(request, reply, name, themes.files(request.params.id, [name])[0]?.body ?? '')
  })
  // Four times what a file may have: percent-encoding makes text longer.
  app.post<ById>(
    '/admin/themes/:id/file',
    { bodyLimit: 4 * fileLimits.bytes },
    (request, reply) => {
      const fields = fieldsOf(request)
      const name = text(fields['name'])
      // Browsers send a textarea's lines with CRLF; files have LF.
      const body = String(fields['body'] ?? '').replaceAll('\r\n', '\n')
      const isDelete = 'delete' in fields,
        // With another name, the file is saved as a copy.
        saved = text(fields['as']) || name
      return formDone(
        reply,
        () =>
          isDelete
            ? themes.remove(request.params.id, [name])
            : themes.write(request.params.id, [{ name: saved, body }]),
        `/admin/themes/${encodeURIComponent(request.params.id)}${isDelete ? '' : `/file?name=${encodeURIComponent(saved)}`}`,
        ({ status, message }) => file(request, reply.code(status), name, body, message),
      )
    },
  )
}
