import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paths } from '../../domain/paths.ts'
import type { CookieJar } from './cookies.ts'
import { ownPath } from '../http/own-path.ts'
import type { PlatformHost } from '../platform-host.ts'
import { carriedFrom, pathOf, queryOf, shopOf, withQuery } from '../http/query.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { neverKept } from '../http/security.ts'
import { type Auth, signedIn } from './gate.ts'

/**
 * Exchanges the shop admin's one-minute token in the query for a session. Redirects to the same
 * page without the token, so that it is in no history.
 */
export const signInBy =
  (upstream: Upstream, jar: CookieJar, clock: () => Date) =>
  async (request: FastifyRequest, reply: FastifyReply, idToken: string): Promise<FastifyReply> => {
    const query = queryOf(request)
    query.delete('id_token')
    try {
      jar.set(reply, await upstream.auth({ idToken }, request.ip))
    } catch (error) {
      if (error instanceof UpstreamProblem && error.status < 500 && error.status !== 429)
        return reply.redirect(withQuery(paths.authMissing(), carriedFrom(query)), 302)
      throw error
    }
    query.set(signedIn, String(clock().getTime()))
    return reply.redirect(`${ownPath(pathOf(request)) ?? paths.home()}?${query}`, 302)
  }

/**
 * The sign-in endpoint. It redirects to the shop's admin, where the merchant is signed in. The
 * admin sends them back with a new token.
 */
export function signIn(
  app: FastifyInstance,
  { host, jar, session }: { host: PlatformHost } & Pick<Auth, 'jar' | 'session'>,
): void {
  app.get(paths.auth(), async (request, reply) => {
    const query = queryOf(request)
    const from = ownPath(query.get('from') ?? undefined) ?? paths.home()
    const back = new URL(from, 'http://own.invalid')
    // A token or mark that was used must not stay in the address.
    for (const name of ['id_token', signedIn, 'from']) back.searchParams.delete(name)
    const returnTo = withQuery(back.pathname + back.search, carriedFrom(query))
    return reply.redirect(`${host.session}?${new URLSearchParams({ return_to: returnTo })}`, 302)
  })

  // Renews the session, even when its token is still valid. A page that stays open for long
  // requests this.
  app.post(paths.auth(), async (request, reply) => {
    const cookies = jar.of(request, shopOf(queryOf(request)))
    const renewed =
      cookies && (await session({ ...cookies, token: undefined }, request.ip))?.renewed
    if (!renewed) throw new HttpProblem(401, 'You are signed out.')
    jar.set(reply, renewed)
    return neverKept(reply).send({ expiresAt: renewed.expiresAt })
  })
}
