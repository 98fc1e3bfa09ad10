import type { FastifyInstance, FastifyReply } from 'fastify'
import { paths } from '../../domain/paths.ts'
import { canShowLogo, initialsPicture, logoPolicy } from '../../domain/stores/store-logo.ts'
import { minute } from '../../domain/time-units.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { queryOf } from '../http/query.ts'
import { type Auth, visitOf } from '../session/gate.ts'
import type { Visit } from '../session/visit.ts'

/** Milliseconds for which a browser keeps the shop's logo, and the initials in its place. */
const keptFor = { logo: 60 * minute, initials: 5 * minute }

/**
 * The picture of the shop in the store menu: the logo that the platform gives, or the initials of
 * the shop's name. Every page of a store shows it, so it does not go through the gate. The address
 * names the store, so that a browser with two stores never shows the other one's logo.
 */
export function storeLogo(app: FastifyInstance, auth: Auth): void {
  app.get(paths.storeLogo(), async (request, reply) => {
    const visit = await visitOf(request, reply, auth)
    reply
      .header('content-security-policy', logoPolicy)
      .header('cross-origin-resource-policy', 'same-origin')
      .header('vary', 'authorization')
    if (typeof visit === 'string') return reply.code(401).type('text/plain').send('')
    const { id, storeInitials } = visit.shell.store
    const logo = await logoOf(visit)
    const life = queryOf(request).get('of') === id ? keptFor[logo ? 'logo' : 'initials'] : 0
    keep(reply, life)
    return logo
      ? reply.type(logo.type).send(logo.body)
      : reply.type('image/svg+xml').send(initialsPicture(storeInitials))
  })
}

/** Null when the shop has no logo that the app shows, and when it does not answer. */
async function logoOf({ download }: Visit): Promise<{ type: string; body: Buffer } | null> {
  try {
    const found = await download('storeLogo', {})
    if (!found) return null
    const body = Buffer.concat(await found.body.toArray())
    return canShowLogo({ type: found.type, byteCount: body.length })
      ? { type: found.type, body }
      : null
  } catch (error) {
    if (error instanceof HttpProblem) return null
    throw error
  }
}

const keep = (reply: FastifyReply, life: number): FastifyReply =>
  reply.header(
    'cache-control',
    life > 0 ? `private, max-age=${Math.round(life / 1000)}` : 'no-store',
  )
