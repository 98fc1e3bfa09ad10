import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'

/**
 * An origin goes into a content security policy, where a space, comma or semicolon would end it and
 * a star would stand for other sites.
 */
const plainOrigin = /^https?:\/\/[A-Za-z0-9.:[\]-]+$/
const PolicyOrigin = Type.String({ pattern: plainOrigin.source, maxLength: 300 })
const Origins = Type.Array(PolicyOrigin, { maxItems: 20 })
/** A link: nothing in it ends an attribute, a header or a line. */
const Address = Type.String({
  pattern: '^https?://[A-Za-z0-9.:[\\]-]+(/[^\\s"\'<>\\\\]*)?$',
  maxLength: 2048,
})

/** How a merchant comes to the app on one platform. */
const Entrance = {
  /** The first page of the admin. */
  admin: Address,
  /** Where the admin shows the app: this address plus the path of a page of the app. */
  app: Address,
  /**
   * Where a merchant signs in again; `return_to` names the page of the app to open afterwards. Null
   * when opening the app in the admin is the only way.
   */
  session: Maybe(Address),
}

/** The platform's own script for pages that its admin frames, and ours that speaks to it. */
export const AdminScript = Type.Object({
  /** Comes first in the page. */
  address: Address,
  /** What it reads from the page. */
  metas: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[\\w-]+$', maxLength: 60 }),
      content: Type.String({ maxLength: 300 }),
    }),
    { maxItems: 5 },
  ),
  /** Name of our built script that offers the page an `AdminLink` (domain/embedding/). */
  part: Type.String({ pattern: '^[\\w-]+\\.js$', maxLength: 60 }),
})
export type AdminScript = Type.Static<typeof AdminScript>

/** Where a shop's platform has what the app links to, shows in a frame, or is framed by. */
export const ShopAddresses = Type.Object({
  ...Entrance,
  /** Where the shop's name, currency and time zone are changed. */
  settings: Address,
  /** The list of themes. */
  themes: Address,
  /**
   * Type of the message in which a page tells the admin its path. Null when the platform's own
   * script does that.
   */
  addressMessage: Maybe(Type.String()),
  /**
   * Type of the message in which a page asks the admin for a fresh one-minute token, and of its
   * answer. Null when the admin answers no such message; pages then need the cookies.
   */
  tokenMessage: Maybe(Type.String()),
  /** Null when the platform's admin has no script of its own. */
  adminScript: Maybe(AdminScript),
  /** The only sites that may frame the app for this shop. */
  frameAncestors: Origins,
  /** Where the admin's pages are: a form may lead there to sign in or to approve a plan. */
  adminOrigins: Origins,
  /** Where the app's pages for this shop may load scripts, pictures and frames from. */
  scripts: Origins,
  images: Origins,
  frames: Origins,
})
export type ShopAddresses = Type.Static<typeof ShopAddresses>

/** For a page whose shop is not known: the way to the app on each platform. */
export const PlatformEntrance = Type.Object({
  /** The platform's name for people. */
  label: Type.String(),
  ...Entrance,
})
export type PlatformEntrance = Type.Static<typeof PlatformEntrance>

/** The origin of an address as it may stand in a policy; null when it has none. */
export function policyOrigin(address: string): string | null {
  const origin = URL.parse(address)?.origin
  return origin && plainOrigin.test(origin) ? origin : null
}
