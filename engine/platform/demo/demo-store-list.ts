import type { ScriptFinding } from '../../../domain/staff/staff-health.ts'
import type { SubscriptionStatus } from '../../../domain/stores/store.ts'
import type { UninstallCategory } from '../../../domain/stores/store-uninstall.ts'

/**
 * A further demo store, so that the staff's pages show more than one. Numbers of days mean days
 * ago; `trialEndsIn` means days from now.
 */
export type DemoStore = {
  handle: string
  name: string
  installed: number
  plan: string | null
  status?: SubscriptionStatus
  trialEndsIn?: number
  discount?: string
  /** What the last check of the shop's script found, if it was a problem. */
  finding?: ScriptFinding
  signedIn: number
  uninstalled?: number
  /** Why it left, as the merchant said it. */
  left?: [category: UninstallCategory, reason: string]
  lead?: [firstName: string, lastName: string]
  /** Number of simulated shoppers, spread over the last weeks. */
  visitors: number
}

/** The stores that staff see beside the demo shop. */
export const demoStores: DemoStore[] = [
  {
    handle: 'northlight-bikes',
    name: 'Northlight Bikes',
    installed: 11,
    plan: 'core-50k-monthly',
    trialEndsIn: 3,
    signedIn: 0,
    visitors: 90,
  },
  {
    handle: 'pale-blue-optics',
    name: 'Pale Blue Optics',
    installed: 9,
    plan: 'advanced-100k-monthly',
    trialEndsIn: 5,
    discount: 'WELCOME20',
    signedIn: 1,
    visitors: 110,
  },
  {
    handle: 'tiny-parade',
    name: 'Tiny Parade',
    installed: 2,
    plan: 'core-100k-monthly',
    trialEndsIn: 12,
    signedIn: 0,
    visitors: 40,
  },
  {
    handle: 'rue-tailoring',
    name: 'Rue Tailoring',
    installed: 6,
    plan: 'core-50k-annual',
    trialEndsIn: 8,
    signedIn: 3,
    visitors: 60,
  },
  {
    handle: 'halden-outdoor',
    name: 'Halden Outdoor',
    installed: 168,
    plan: 'advanced-500k-annual',
    signedIn: 1,
    lead: ['Ingrid', 'Halden'],
    visitors: 180,
  },
  {
    handle: 'maple-and-moss',
    name: 'Maple & Moss',
    installed: 131,
    plan: 'advanced-100k-monthly',
    discount: 'AUTUMN50',
    signedIn: 2,
    visitors: 130,
  },
  {
    handle: 'saltwater-supply',
    name: 'Saltwater Supply',
    installed: 94,
    plan: 'advanced-250k-monthly',
    finding: 'missing',
    signedIn: 0,
    visitors: 120,
  },
  {
    handle: 'verso-books',
    name: 'Verso Books',
    installed: 72,
    plan: 'core-50k-monthly',
    discount: 'WELCOME20',
    signedIn: 6,
    lead: ['Amara', 'Osei'],
    visitors: 70,
  },
  {
    handle: 'omas-pantry',
    name: 'Oma’s Pantry',
    installed: 58,
    plan: 'core-50k-monthly',
    status: 'Frozen',
    signedIn: 12,
    visitors: 50,
  },
  {
    handle: 'lantern-toys',
    name: 'Lantern Toys',
    installed: 83,
    plan: 'core-50k-monthly',
    status: 'Cancelled',
    uninstalled: 21,
    left: ['traffic', 'We have some 300 visitors a week. We will try again before Christmas.'],
    signedIn: 22,
    visitors: 0,
  },
]
