import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Output } from '../../domain/api/contract.ts'
import type { PlatformEntrance, ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { minute } from '../../domain/time-units.ts'
import { queryOf, shopOf } from '../http/query.ts'
import type { CookieJar } from '../session/cookies.ts'
import { visitBy } from '../session/visit.ts'
import { sharedFlights } from '../upstream/shared-flight.ts'
import { claimsOf } from '../upstream/token-owner.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** The addresses of the shop that a request without a session names, and of every platform. */
export type GuestAddresses = Output<'addresses'>
export type AddressBook = {
  /**
   * Reads the addresses for a page without a session. `shop`: its name, when neither the query nor
   * a cookie says it. `isApiDown`: only what is cached, because the API has just failed. Never
   * throws: such a page must come whatever happens.
   */
  learn: (
    request: FastifyRequest,
    options?: { shop?: string | undefined; isApiDown?: boolean },
  ) => Promise<void>
  /** Remembers the addresses of a store for the pages that its merchants see without a session. */
  note: (shop: string, addresses: ShopAddresses) => void
}

const keptFor = minute
/** The most bytes that the cache may take, and bytes of an entry. */
const maxBytes = 4 * 1024 * 1024,
  perShop = 2 * 1024

/**
 * Addresses by the shop's name. The name comes from the query or from a cookie, so anyone may write
 * anything there: the API makes addresses only for names that one of its platforms may have.
 */
export function addressBook(
  { addresses }: Pick<Upstream, 'addresses'>,
  jar: CookieJar,
  clock: () => Date,
): AddressBook {
  const kept = keptWithin<{ until: number; known: GuestAddresses }>(maxBytes)
  const flight = sharedFlights<GuestAddresses>()
  const now = () => clock().getTime()
  const keep = (shop: string, known: GuestAddresses): GuestAddresses => {
    kept.set(shop, { until: now() + keptFor, known }, perShop)
    return known
  }
  /** What was read last, also when it is old. */
  const last = (shop: string): GuestAddresses =>
    kept.get(shop)?.known ?? { shop: null, entrances: kept.get('')?.known.entrances ?? [] }

  return {
    learn: async (request, { shop: named, isApiDown = false } = {}) => {
      if (request.addresses) return
      const shop = named ?? shopOf(queryOf(request)) ?? shopOfCookie(jar, request) ?? ''
      const entry = kept.get(shop)
      if (isApiDown || (entry && now() < entry.until)) {
        request.addresses = last(shop)
        return
      }
      request.addresses = await flight(shop, async () =>
        keep(shop, await addresses(shop || undefined)),
      ).catch((error: unknown) => {
        request.log.warn({ err: error }, 'the addresses of a shop are not known')
        return last(shop)
      })
    },
    note: (shop, own) => {
      const known = last(shop)
      if (known.shop !== own) keep(shop, { ...known, shop: own })
    },
  }
}

/** The shop of the only session in the browser. Not verified: the API checks the name. */
const shopOfCookie = (jar: CookieJar, request: FastifyRequest): string | undefined =>
  claimsOf(jar.of(request, undefined)?.token ?? '').shop

/** Lets every page of `app`, which need no session, know the addresses of the shop it names. */
export function forGuests(app: FastifyInstance, { learn }: AddressBook): void {
  app.addHook('onRequest', request => learn(request))
}

/** The addresses of the store of this request, or of the shop that it names; null without one. */
export const addressesOf = ({ visit, addresses }: Partial<FastifyRequest>): ShopAddresses | null =>
  visit?.shell.addresses ?? addresses?.shop ?? null
/** The addresses of the merchant's own store. Throws on a route that is not behind the gate. */
export const storeAddressesOf = (request: FastifyRequest): ShopAddresses =>
  visitBy(request).shell.addresses

/**
 * The ways to the app on a page without a session: that of the shop, or those of all platforms when
 * the shop is not known.
 */
export function entrancesOf(request: FastifyRequest): (PlatformEntrance | ShopAddresses)[] {
  const own = addressesOf(request)
  return own ? [own] : (request.addresses?.entrances ?? [])
}
