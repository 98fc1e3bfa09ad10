import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { bounceProblems } from '../../domain/embedding/page-session.ts'
import { paths } from '../../domain/paths.ts'
import { shopName } from '../../domain/startup.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import type { LastUninstall } from '../../domain/stores/store-uninstall.ts'
import { AuthMissing, ErrorPage } from '../../views/guest.tsx'
import { Installed, Uninstalled } from '../../views/stores/uninstall-after.tsx'
import { type Auth, uninstalledSince } from '../session/gate.ts'
import { barePage } from './page.ts'
import { queryOf } from '../http/query.ts'
import { entrancesOf } from './shop-addresses.ts'
import { storeIdOf } from '../session/session.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'

/** Pages that need no session. */
export function guestPages(app: FastifyInstance, auth: Auth): void {
  app.get(paths.authMissing(), (request, reply) => {
    const asked = queryOf(request).get('why'),
      why = bounceProblems.find(each => each === asked)
    return barePage(
      request,
      reply.code(401),
      {},
      h(AuthMissing, { entrances: entrancesOf(request), ...(why && { why }) }),
    )
  })
  app.get(paths.error(), (request, reply) =>
    barePage(request, reply, {}, h(ErrorPage, { entrances: entrancesOf(request) })),
  )
  app.get(paths.uninstalled(), async (request, reply) => {
    const asked = queryOf(request).get('store')
    const store = asked && /^[a-z0-9-]{1,63}$/.test(asked) ? asked : null
    // No session belongs to a malformed shop name.
    const own = asked && !store ? null : await ownStore(request, reply, auth, store)
    if (own?.store?.status === 'installed')
      return barePage(request, reply, {}, h(Installed, { store: own.store }))
    return barePage(
      request,
      reply,
      {},
      h(Uninstalled, {
        store,
        entrances: entrancesOf(request),
        last: own?.last ?? null,
      }),
    )
  })
}

/**
 * What the browser's own session of that shop may know about the store, while there is such a
 * session; null otherwise. A session can still ask about an uninstall for some minutes after it
 * began.
 */
async function ownStore(
  request: FastifyRequest,
  reply: FastifyReply,
  { jar, session: sessionOf, apiSession }: Auth,
  name: string | null,
): Promise<{ store: StoreInfo | null; last: LastUninstall | null } | null> {
  try {
    const cookies = jar.of(request, name ?? undefined)
    const session = cookies && (await sessionOf(cookies, request.ip))
    if (!session) return null
    if (session.renewed) jar.set(reply, session.renewed)
    const { api } = apiSession(session.token)
    const store = await api.storeInfo({}).catch((error: unknown) => {
      if (error instanceof UpstreamProblem && error.status === 401) return null
      throw error
    })
    // The cookie belongs to the shop that the address names.
    if (!store) return { store, last: await uninstalledSince(api, storeIdOf(session.token)) }
    if (name !== null && shopName(store.shop) !== name) return null
    return { store, last: await api.lastUninstall({ params: { id: store.id } }) }
  } catch (error) {
    request.log.info({ err: error }, 'nothing known of the store')
    return null
  }
}
