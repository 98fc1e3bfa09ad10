import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import type { StaffApi } from '../../domain/staff/staff-contract.ts'
import { EnterCode, RecoveryCodes, SetUpAtSignIn } from '../../views/staff/staff-second-factor.tsx'
import { fieldText, type Posted } from './admin-list.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { barePage } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import type { StaffAuth } from './staff-gate.ts'
import { staffApi } from './staff-session.ts'
import { toast } from '../page/toasts.ts'

/** The page that the member asked for, if it is a page of the app; otherwise null. */
export const fromOf = (request: FastifyRequest): string | null =>
  ownPath(queryOf(request).get('from') ?? undefined)
export const destination = (request: FastifyRequest): string => fromOf(request) ?? paths.admin()

type Wrong = { status: number; problem: string | null; fields: FieldProblem[] }
const nothingWrong: Wrong = { status: 200, problem: null, fields: [] }

/**
 * Sends the page of what a sign-in still needs after the right password. Null when the sign-in is
 * finished or has expired.
 */
export async function secondStep(
  request: FastifyRequest,
  reply: FastifyReply,
  { upstream, cookie }: StaffAuth,
  wrong: Wrong = nothingWrong,
): Promise<FastifyReply | null> {
  const token = cookie.of(request)
  if (!token) return null
  const api = staffApi(upstream, token),
    step = await api.staffStep({}).catch(over)
  if (!step?.needs) return null
  const shown = {
    from: fromOf(request),
    email: step.user.email,
    problem: wrong.problem,
    fields: wrong.fields,
  }
  if (step.needs === 'code')
    return barePage(request, reply.code(wrong.status), { route: 'login' }, h(EnterCode, shown))
  const { secret, address } = await api.startSecondFactor({})
  return barePage(
    request,
    reply.code(wrong.status),
    { route: 'login' },
    h(SetUpAtSignIn, { ...shown, secret, address }),
  )
}

/**
 * The forms with which staff finish a sign-in: with a code, or by setting up the app that shows
 * codes.
 */
export function staffSecondStep(app: FastifyInstance, auth: StaffAuth): void {
  const { upstream, cookie } = auth

  app.post<Posted>(paths.loginCode(), (request, reply) =>
    act(request, reply, async api => {
      const { token, expiresAt, device } = await api.staffCode({
        body: { code: fieldText(request.body, 'code'), ...cookie.device(request) },
      })
      cookie.set(reply, token, expiresAt, device)
      return reply.redirect(destination(request), 303)
    }),
  )

  app.post<Posted>(paths.loginSetUp(), (request, reply) =>
    act(request, reply, async api => {
      const { codes, signedIn } = await api.confirmSecondFactor({
        body: { code: fieldText(request.body, 'code'), ...cookie.device(request) },
      })
      if (signedIn) cookie.set(reply, signedIn.token, signedIn.expiresAt, signedIn.device)
      return barePage(
        request,
        reply,
        { route: 'login' },
        h(RecoveryCodes, { codes, href: destination(request), isSignIn: true }),
      )
    }),
  )

  async function act(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (api: StaffApi) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const token = cookie.of(request)
    try {
      if (token) return await work(staffApi(upstream, token))
    } catch (error) {
      if (!(error instanceof HttpProblem) || ![400, 401, 409, 429].includes(error.status))
        throw error
      const wrong = wrongBy(error),
        again =
          error.status === 400 || error.status === 429
            ? await secondStep(request, reply, auth, wrong)
            : null
      if (again) return again
    }
    // The sign-in was finished in another window, or expired after ten minutes.
    toast(request, reply, 'This sign-in is over. Sign in again.', 'bad')
    return reply.redirect(
      `${paths.login()}?${new URLSearchParams({ from: destination(request) })}`,
      303,
    )
  }
}

const wrongBy = ({ status, message, fields }: HttpProblem): Wrong =>
  status === 429
    ? { status, problem: message, fields: [] }
    : {
        status: 422,
        problem: null,
        fields: fields.length > 0 ? fields : [{ field: 'code', message: 'Enter a code.' }],
      }

const over = (error: unknown): null => {
  if (error instanceof HttpProblem && error.status === 401) return null
  throw error
}
