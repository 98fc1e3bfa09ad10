import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paths } from '../../domain/paths.ts'
import type { Posted } from '../../domain/posted.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { bounce } from '../embedding/bounce.ts'
import { addressesOf, entrancesOf } from '../page/shop-addresses.ts'
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
  ({
    upstream,
    jar,
    clock,
    apiSession,
    addresses,
  }: Pick<Auth, 'jar' | 'clock' | 'apiSession' | 'addresses'> & { upstream: Upstream }) =>
  async (request: FastifyRequest, reply: FastifyReply, idToken: string): Promise<FastifyReply> => {
    const query = queryOf(request)
    query.delete('id_token')
    /**
     * Remembers the shop's own origin, which the next page needs in its policy. Where the browser
     * drops the cookies, that page has no session to ask with (server/embedding/bounce.ts).
     */
    const noteAddresses = async (token: string): Promise<void> => {
      try {
        const { store, addresses: own } = await apiSession(token).shell()
        addresses.note(store.shop, own)
      } catch (error) {
        request.log.warn({ err: error }, 'the addresses of a store are not known')
      }
    }
    try {
      const tokens = await upstream.auth({ idToken }, request.ip)
      jar.set(reply, tokens)
      await noteAddresses(tokens.token)
    } catch (error) {
      if (error instanceof UpstreamProblem && error.status < 500 && error.status !== 429)
        return reply.redirect(
          query.has(tried)
            ? withQuery(paths.authMissing(), carriedFrom(query))
            : signInOnce(pathOf(request), query),
          302,
        )
      throw error
    }
    query.delete(tried)
    query.set(signedIn, String(clock().getTime()))
    return reply.redirect(`${ownPath(pathOf(request)) ?? paths.home()}?${query}`, 302)
  }

/**
 * Marks the page that the shop's admin leads back to after a token was refused. A second refusal
 * would repeat without end.
 */
const tried = 'signed_in_again'
/**
 * The path that gets another token and leads back to the page: this one was used before, for
 * example by a tab that the browser restored, or is too old.
 */
function signInOnce(path: string, query: URLSearchParams): string {
  const back = new URLSearchParams(query)
  back.set(tried, '1')
  return withQuery(paths.auth(), {
    ...carriedFrom(query),
    from: `${ownPath(path) ?? paths.home()}?${back}`,
  })
}

/**
 * The sign-in endpoint. It redirects to the shop's admin, where the merchant is signed in. The
 * admin sends them back with a new token. Its requests know the addresses of their shop
 * (`forGuests`).
 */
export function signIn(
  app: FastifyInstance,
  { jar, session, clock }: Pick<Auth, 'jar' | 'session' | 'clock'>,
  upstream: Upstream,
): void {
  app.get(paths.auth(), async (request, reply) => {
    const query = queryOf(request)
    const from = ownPath(query.get('from') ?? undefined) ?? paths.home()
    const back = new URL(from, 'http://own.invalid')
    // A token or mark that was used must not stay in the address.
    for (const name of ['id_token', signedIn]) back.searchParams.delete(name)
    const returnTo = withQuery(back.pathname + back.search, carriedFrom(query))
    const own = addressesOf(request)
    if (own?.adminScript && own.session === null && request.headers['sec-fetch-dest'] === 'iframe')
      return bounce(request, reply, own, returnTo)
    const [entrance, ...others] = entrancesOf(request)
    // Where the shop is not known and may be on several platforms, the merchant chooses. Some
    // platforms sign in only where they show the app.
    return entrance?.session && others.length === 0
      ? reply.redirect(`${entrance.session}?${new URLSearchParams({ return_to: returnTo })}`, 302)
      : reply.redirect(withQuery(paths.authMissing(), carriedFrom(query)), 302)
  })

  // A page that holds its session itself (decision 075) posts the admin's token and gets the
  // short-lived token of its session. It gets none that renews the session.
  const holdSession = async (idToken: string, request: FastifyRequest, reply: FastifyReply) => {
    const { token, expiresAt } = await upstream.auth({ idToken }, request.ip).catch(refuse)
    return neverKept(reply).send({
      token,
      lasts: new Date(expiresAt).getTime() - clock().getTime(),
    })
  }

  // Renews the session, even when its token is still valid. A page that stays open for long
  // requests this.
  app.post<{ Body: Posted | undefined }>(paths.auth(), async (request, reply) => {
    const idToken = request.body?.['id_token']
    if (typeof idToken === 'string') return holdSession(idToken, request, reply)
    const cookies = jar.of(request, shopOf(queryOf(request)))
    const renewed =
      cookies && (await session({ ...cookies, token: undefined }, request.ip))?.renewed
    if (!renewed) throw new HttpProblem(401, 'You are signed out.')
    jar.set(reply, renewed)
    return neverKept(reply).send({ expiresAt: renewed.expiresAt })
  })
}

/** The platform's token is not valid: 401. What else went wrong stays what it is. */
function refuse(error: unknown): never {
  if (error instanceof UpstreamProblem && error.status < 500 && error.status !== 429)
    throw new HttpProblem(401, 'The shop’s admin did not sign you in.')
  throw error
}
