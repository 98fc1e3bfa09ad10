import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Assignments } from './assignments.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { WriteParts } from '../apps/write-parts.ts'
import { fieldsOf, text, type Fields } from '../forms.ts'
import type { ScriptSwitches } from '../admin/script-switches.ts'
import { fileLimits } from './theme-files.ts'
import { resourcePage, templateUses, typeOf } from './resource-pages.ts'
import { themeJson, type Themes } from './themes.ts'

type ById = { Params: { id: string } }
/** The largest body: all files of one request at their limit, as JSON may escape them. */
const bodyLimit = fileLimits.atOnce * fileLimits.bytes * 2

/**
 * The admin API for themes, their files and the assigned templates. Every request needs the app's
 * secret as a bearer token.
 */
export const themesApi: FastifyPluginAsync<{
  themes: Themes
  assignments: Assignments
  scriptSwitches: ScriptSwitches
  parts: WriteParts
  adminOrigin: string
  isAdmin: Bearer
}> = async (app, { themes, assignments, scriptSwitches, parts, adminOrigin, isAdmin }) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })

  app.get('/admin/api/themes.json', () => themes.list().map(themeJson))
  app.get<ById>('/admin/api/themes/:id/files.json', request =>
    themes
      .files(request.params.id, namesOf(request))
      .map(({ updatedAt, ...file }) => ({ ...file, updated_at: updatedAt })),
  )
  app.put<ById>('/admin/api/themes/:id/files.json', { bodyLimit }, async (request, reply) => {
    const files = listOf(fieldsOf(request), 'files').map(({ name, body }) => {
      if (typeof name !== 'string' || typeof body !== 'string')
        throw wrong('files', 'Each file has a name and a body.')
      return { name, body }
    })
    const write = (some: typeof files) => themes.write(request.params.id, some)
    return (await parts.write(reply, files, ({ name }) => name, write)) ?? { ok: true }
  })
  app.delete<ById>('/admin/api/themes/:id/files.json', async (request, reply) => {
    const remove = (names: string[]) => themes.remove(request.params.id, names)
    return (await parts.write(reply, namesOf(request), name => name, remove)) ?? { ok: true }
  })
  app.post<ById>('/admin/api/themes/:id/publish', request => {
    themes.publish(request.params.id)
    return themeJson(themes.record(request.params.id))
  })

  app.get('/admin/api/script_switch.json', request => {
    const id = text((request.query as Fields)['theme']) || themes.live.id
    themes.record(id)
    return {
      state: scriptSwitches.stateOf(id),
      url: `${adminOrigin}/admin/themes/${id}#app-script`,
    }
  })

  app.get('/admin/api/resources.json', request =>
    assignments.resources(typeOf((request.query as Fields)['type'])),
  )
  app.get('/admin/api/resources/page.json', request =>
    resourcePage(assignments, request.query as Fields),
  )
  app.get('/admin/api/resources/templates.json', request =>
    templateUses(assignments, typeOf((request.query as Fields)['type'])),
  )
  app.put('/admin/api/template_assignments.json', { bodyLimit }, async (request, reply) => {
    const wanted = listOf(fieldsOf(request), 'assignments').map(({ type, id, suffix }) => ({
      type: typeOf(type),
      id: text(id),
      suffix: text(suffix),
    }))
    return (await parts.write(reply, wanted, ({ id }) => id, assignments.assign)) ?? { ok: true }
  })
}

function namesOf(request: FastifyRequest): string[] {
  const given = (request.query as Fields)['name']
  const names = (Array.isArray(given) ? given : [given]).filter(name => typeof name === 'string')
  if (names.length === 0 || names.length > fileLimits.atOnce)
    throw wrong('name', `1 to ${fileLimits.atOnce} names.`)
  return names
}

/** Reads a list of objects from a body. Throws HttpProblem 422. */
function listOf(fields: Fields, name: string): Fields[] {
  const list = fields[name]
  if (!Array.isArray(list) || !list.every(item => typeof item === 'object' && item !== null))
    throw wrong(name, 'A list.')
  return list as Fields[]
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, `${field}: ${message}`, [{ field, message }])
