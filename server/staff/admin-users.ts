import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { routeNamed } from '../../domain/routes.ts'
import { type StaffUser, staffUserSorts } from '../../domain/staff-calls/users.ts'
import { AddUser } from '../../views/staff/admin-add-user.tsx'
import { noTwoStep, type TwoStep } from '../../views/staff/admin-user-access.tsx'
import { AdminUser } from '../../views/staff/admin-user.tsx'
import { AdminUsers } from '../../views/staff/admin-users.tsx'
import {
  beyondTheEnd,
  fieldText,
  listAsked,
  listState,
  type Posted,
  type PostedWithId,
  refusedFields,
} from './admin-list.ts'
import { adminUserAccess, twoStepAsked } from './admin-user-access.ts'
import { queryOf } from '../http/query.ts'
import type { StaffCookie } from './staff-session.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf, staffUserOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

const userPath = routeNamed('admin-user').path

/** Staff's pages of their own accounts. */
export function adminUsers(
  app: FastifyInstance,
  { clock, cookie }: { clock: () => Date; cookie: StaffCookie },
): void {
  const show = showUser(clock)
  adminUserAccess(app, {
    show: (request, reply, twoStep) => show(request, reply, { twoStep }),
    cookie,
  })

  app.get(paths.admin('users'), async (request, reply) => {
    const state = listState(request, {
      sorts: staffUserSorts,
      usual: { sort: 'name', descending: false },
    })
    const { users, count } = await staffApiOf(request).staffUsers({ query: listAsked(state) })
    return (
      beyondTheEnd(request, reply, state, count) ??
      staffPage(
        request,
        reply,
        {},
        h(AdminUsers, { state, users, count, own: staffUserOf(request).id, now: clock() }),
      )
    )
  })

  app.get(paths.admin('add-user'), (request, reply) =>
    staffPage(request, reply, {}, h(AddUser, { email: '', name: '', fields: [] })),
  )

  app.post<Posted>(paths.admin('add-user'), async (request, reply) => {
    const email = fieldText(request.body, 'email'),
      name = fieldText(request.body, 'name')
    try {
      const { user, mailed } = await staffApiOf(request).addStaffUser({ body: { email, name } })
      toast(
        request,
        reply,
        `${user.name} was added. ${sent(mailed, 'An invitation', user)}`,
        mailed ? 'good' : 'bad',
      )
      return await reply.redirect(paths.admin('users', user.id), 303)
    } catch (error) {
      return staffPage(
        request,
        reply.code(422),
        { route: 'admin-add-user' },
        h(AddUser, { email, name, fields: refusedFields(error) }),
      )
    }
  })

  app.get<PostedWithId>(userPath, async (request, reply) =>
    show(request, reply, { twoStep: await twoStepAsked(request) }),
  )

  app.post<PostedWithId>(userPath, async (request, reply) => {
    const name = fieldText(request.body, 'name')
    try {
      const user = await staffApiOf(request).renameStaffUser({
        params: idOf(request),
        body: { name },
      })
      return back(request, reply, `Renamed to ${user.name}.`)
    } catch (error) {
      return show(request, reply.code(422), { name, fields: refusedFields(error) })
    }
  })

  for (const act of ['disable', 'enable'] as const)
    app.post<PostedWithId>(`${userPath}/${act}`, async (request, reply) => {
      const user = await staffApiOf(request).disableStaffUser({
        params: idOf(request),
        body: { disabled: act === 'disable' },
      })
      return back(
        request,
        reply,
        user.disabled
          ? `${user.name} can no longer sign in. Their sessions have ended.`
          : `${user.name} can sign in again.`,
      )
    })

  app.post<PostedWithId>(`${userPath}/link`, async (request, reply) => {
    const { user, mailed } = await staffApiOf(request).sendPasswordLink({ params: idOf(request) })
    return back(request, reply, sent(mailed, 'A link to set a password', user), mailed)
  })

  app.post<PostedWithId>(`${userPath}/sign-out`, async (request, reply) => {
    const { ended } = await staffApiOf(request).signOutStaffUser({ params: idOf(request) })
    return back(
      request,
      reply,
      ended === 0
        ? 'There was no session to end.'
        : ended === 1
          ? 'One session was ended.'
          : `${ended} sessions were ended.`,
    )
  })
}

/** Sends a member's page. After a refused form it has what was typed and its problems. */
const showUser =
  (clock: () => Date) =>
  async (
    request: FastifyRequest<PostedWithId>,
    reply: FastifyReply,
    typed: { name?: string; fields?: FieldProblem[]; twoStep?: Partial<TwoStep> },
  ) => {
    const params = idOf(request),
      api = staffApiOf(request)
    const [user, acts, sessions, { isCompulsory }] = await Promise.all([
      api.staffUser({ params }),
      api.staffActs({ params }),
      api.staffSessions({ params }),
      api.staffStep({}),
    ])
    const twoStep = { ...noTwoStep, ...typed.twoStep }
    return staffPage(
      request,
      reply,
      { route: 'admin-user' },
      h(AdminUser, {
        user,
        acts,
        sessions,
        own: staffUserOf(request).id,
        name: typed.name ?? user.name,
        fields: typed.fields ?? [],
        twoStep,
        isCompulsory,
        now: clock(),
        asked: request.method === 'GET' ? queryOf(request).get('ask') : null,
      }),
    )
  }

function back(
  request: FastifyRequest<PostedWithId>,
  reply: FastifyReply,
  text: string,
  isGood = true,
): FastifyReply {
  toast(request, reply, text, isGood ? 'good' : 'bad')
  return reply.redirect(paths.admin('users', request.params.id), 303)
}

/**
 * The id in the path. Throws HttpProblem 404 when it is too long to be one, where the API would
 * answer 400.
 */
function idOf({ params: { id } }: FastifyRequest<PostedWithId>): { id: string } {
  if (id.length > 64) throw new HttpProblem(404, 'There is no such member of staff.')
  return { id }
}

const sent = (mailed: boolean, what: string, { email }: StaffUser): string =>
  mailed
    ? `${what} is on its way to ${email}.`
    : `Mail is not configured, so nothing was sent to ${email}: set SMTP_URL and MAIL_FROM.`
