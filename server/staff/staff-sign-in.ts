import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { emailProblems } from '../../domain/staff/staff-user.ts'
import { SignIn } from '../../views/staff/staff-sign-in.tsx'
import { AskForLink, DeadLink, LinkSent, SetPassword } from '../../views/staff/staff-password.tsx'
import { fieldText } from './admin-list.ts'
import { barePage } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { enterStaff, type StaffAuth } from './staff-gate.ts'
import { destination, fromOf, secondStep, staffSecondStep } from './staff-second-step.ts'
import { staffApi } from './staff-session.ts'
import { toast } from '../page/toasts.ts'

type Posted = { Body: Record<string, unknown> | undefined }

/** Where staff sign in and out, and set their password. */
export function staffSignIn(app: FastifyInstance, auth: StaffAuth): void {
  const { upstream, cookie } = auth

  app.get(paths.login(), async (request, reply) => {
    if (await enterStaff(request, reply, auth)) return reply.redirect(destination(request), 302)
    return (
      (await secondStep(request, reply, auth)) ??
      barePage(
        request,
        reply,
        { route: 'login' },
        h(SignIn, { from: fromOf(request), email: '', problem: null, fields: [] }),
      )
    )
  })

  staffSecondStep(app, auth)

  app.post<Posted>(paths.login(), async (request, reply) => {
    const email = fieldText(request.body, 'email'),
      password = fieldText(request.body, 'password')
    const again = (status: number, problem: string | null, fields: FieldProblem[] = []) =>
      barePage(
        request,
        reply.code(status),
        { route: 'login' },
        h(SignIn, { from: fromOf(request), email, problem, fields }),
      )
    const fields = [
      ...emailProblems(email),
      ...(password === '' ? [{ field: 'password', message: 'Enter your password.' }] : []),
    ]
    if (fields.length > 0) return again(422, null, fields)
    try {
      const userAgent = request.headers['user-agent']?.slice(0, 500)
      const { token, expiresAt, needs, device } = await upstream.forStaff(
        'staffSignIn',
        { body: { email, password, ...cookie.device(request), ...(userAgent && { userAgent }) } },
        request.ip,
      )
      // The new session replaces the one that this browser had before.
      await signOut(request).catch(() => {})
      cookie.set(reply, token, expiresAt, device)
      if (needs)
        return reply.redirect(
          `${paths.login()}?${new URLSearchParams({ from: destination(request) })}`,
          303,
        )
    } catch (error) {
      // 400: the API did not even compare the password, so it cannot be right.
      if (error instanceof HttpProblem && [400, 401].includes(error.status))
        return again(422, 'E-mail and password do not match.')
      if (error instanceof HttpProblem && error.status === 429) return again(429, error.message)
      throw error
    }
    return reply.redirect(destination(request), 303)
  })

  app.post(paths.logout(), async (request, reply) => {
    await signOut(request)
    cookie.clear(reply)
    toast(request, reply, 'Signed out.')
    return reply.redirect(paths.login(), 303)
  })

  app.get(paths.reset(), async (request, reply) => {
    const query = queryOf(request),
      token = query.get('token')
    if (token === null)
      return barePage(
        request,
        reply,
        { route: 'reset' },
        query.has('sent')
          ? h(LinkSent, {})
          : h(AskForLink, { email: '', problem: null, fields: [] }),
      )
    return setting(request, reply, token, [])
  })

  app.post<Posted>(paths.reset(), async (request, reply) => {
    const token = fieldText(request.body, 'token')
    if (token === '') return askForLink(request, reply)
    try {
      const { device } = await upstream.forStaff(
        'setPassword',
        { body: { token, password: fieldText(request.body, 'password') } },
        request.ip,
      )
      cookie.setDevice(reply, device)
    } catch (error) {
      if (!(error instanceof HttpProblem) || ![400, 404, 429].includes(error.status)) throw error
      return setting(
        request,
        reply.code(error.status === 400 ? 422 : error.status),
        token,
        error.fields,
        error.status === 429 ? error.message : null,
      )
    }
    cookie.clear(reply)
    toast(request, reply, 'Your password is set. Sign in with it.')
    return reply.redirect(paths.login(), 303)
  })

  /** Ends the session of this browser, whether its sign-in is finished or not. */
  async function signOut(request: FastifyRequest): Promise<void> {
    const token = cookie.of(request)
    if (token)
      await staffApi(upstream, token)
        .staffSignOut({})
        .catch((error: unknown) => {
          if (!(error instanceof HttpProblem) || error.status !== 401) throw error
        })
  }

  async function askForLink(request: FastifyRequest<Posted>, reply: FastifyReply) {
    const email = fieldText(request.body, 'email')
    const again = (status: number, problem: string | null, fields: FieldProblem[]) =>
      barePage(
        request,
        reply.code(status),
        { route: 'reset' },
        h(AskForLink, { email, problem, fields }),
      )
    const fields = emailProblems(email)
    if (fields.length > 0) return again(422, null, fields)
    try {
      await upstream.forStaff('requestPasswordLink', { body: { email } }, request.ip)
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 429) return again(429, error.message, [])
      throw error
    }
    return reply.redirect(`${paths.reset()}?sent`, 303)
  }

  /**
   * Sends the form that sets a password, with its problems; or the page that says that the link no
   * longer works.
   */
  async function setting(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    fields: FieldProblem[],
    problem: string | null = null,
  ) {
    const owner =
      token.length <= 64
        ? await upstream
            .forStaff('passwordLink', { body: { token } }, request.ip)
            .catch((error: unknown) => {
              if (error instanceof HttpProblem && [400, 404].includes(error.status)) return null
              throw error
            })
        : null
    if (!owner) return barePage(request, reply.code(404), { route: 'reset' }, h(DeadLink, {}))
    return barePage(
      request,
      reply,
      { route: 'reset' },
      h(SetPassword, { token, owner, fields, problem }),
    )
  }
}
