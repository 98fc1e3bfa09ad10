import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { routeNamed } from '../../domain/routes.ts'
import type { TwoStep } from '../../views/staff/admin-user-access.tsx'
import { RecoveryCodes } from '../../views/staff/staff-second-factor.tsx'
import { fieldText, type PostedWithId } from './admin-list.ts'
import { queryOf } from '../http/query.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf, staffUserOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

const userPath = routeNamed('admin-user').path
const isId = /^[0-9a-f-]{36}$/
type Show = (
  request: FastifyRequest<PostedWithId>,
  reply: FastifyReply,
  twoStep: Partial<TwoStep>,
) => Promise<FastifyReply>

/**
 * The state of the card for two-step sign-in, from the page's address. Empty on the page of another
 * member.
 */
export async function twoStepAsked(
  request: FastifyRequest<PostedWithId>,
): Promise<Partial<TwoStep>> {
  const asked = queryOf(request).get('two-step')
  if (staffUserOf(request).id !== request.params.id) return {}
  if (asked === 'set-up') return { secret: await staffApiOf(request).startSecondFactor({}) }
  return { ask: asked === 'codes' || asked === 'off' ? asked : null }
}

/** The acts on members' two-step sign-in, and on their sessions one by one. */
export function adminUserAccess(
  app: FastifyInstance,
  {
    show,
    cookie,
  }: { show: Show; cookie: { device: (request: FastifyRequest) => { device?: string } } },
): void {
  const back = (request: FastifyRequest<PostedWithId>, reply: FastifyReply, text: string) => {
    toast(request, reply, text)
    return reply.redirect(paths.admin('users', request.params.id), 303)
  }
  const codesPage = (request: FastifyRequest<PostedWithId>, reply: FastifyReply, codes: string[]) =>
    staffPage(
      request,
      reply,
      { route: 'admin-user' },
      h(RecoveryCodes, { codes, href: paths.admin('users', request.params.id), isSignIn: false }),
    )
  /** The API, for members who change their own account. Throws HttpProblem 403 for anyone else. */
  const own = (request: FastifyRequest<PostedWithId>) => {
    if (staffUserOf(request).id !== request.params.id)
      throw new HttpProblem(403, 'Only members themselves can change this.')
    return staffApiOf(request)
  }
  const again = async (
    request: FastifyRequest<PostedWithId>,
    reply: FastifyReply,
    error: unknown,
    twoStep: () => Promise<Partial<TwoStep>>,
  ) => {
    if (!(error instanceof HttpProblem) || ![400, 409, 429].includes(error.status)) throw error
    const { status, message, fields } = error
    return show(request, reply.code(status === 400 ? 422 : status), {
      ...(await twoStep()),
      fields,
      problem: fields.length > 0 ? null : message,
    })
  }

  app.post<PostedWithId>(`${userPath}/two-step`, async (request, reply) => {
    const api = own(request),
      current = fieldText(request.body, 'current')
    try {
      const { codes } = await api.confirmSecondFactor({
        body: {
          code: fieldText(request.body, 'code'),
          ...(current && { current }),
          ...cookie.device(request),
        },
      })
      return codesPage(request, reply, codes)
    } catch (error) {
      return again(request, reply, error, async () => ({ secret: await api.startSecondFactor({}) }))
    }
  })

  app.post<PostedWithId>(`${userPath}/two-step-codes`, async (request, reply) => {
    const api = own(request)
    try {
      return codesPage(
        request,
        reply,
        (
          await api.newRecoveryCodes({
            body: { code: fieldText(request.body, 'code'), ...cookie.device(request) },
          })
        ).codes,
      )
    } catch (error) {
      return again(request, reply, error, async () => ({ ask: 'codes' }))
    }
  })

  app.post<PostedWithId>(`${userPath}/two-step-off`, async (request, reply) => {
    const api = own(request)
    try {
      await api.endSecondFactor({
        body: { code: fieldText(request.body, 'code'), ...cookie.device(request) },
      })
      return back(request, reply, 'Two-step sign-in is off.')
    } catch (error) {
      return again(request, reply, error, async () => ({ ask: 'off' }))
    }
  })

  app.post<PostedWithId>(`${userPath}/two-step-reset`, async (request, reply) => {
    const user = await staffApiOf(request).resetSecondFactor({ params: { id: request.params.id } })
    return back(
      request,
      reply,
      `Two-step sign-in of ${user.name} was reset. Their sessions have ended.`,
    )
  })

  app.post<PostedWithId>(`${userPath}/end-session`, async (request, reply) => {
    const session = fieldText(request.body, 'session')
    try {
      await staffApiOf(request).endStaffSession({
        params: { id: request.params.id, session: isId.test(session) ? session : 'none' },
      })
      return back(request, reply, 'The session was ended.')
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status !== 404) throw error
      return back(request, reply, 'This session was over already.')
    }
  })
}
