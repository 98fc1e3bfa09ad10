import type { Plan } from '../../domain/plans/plan.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import { day } from '../../domain/time-units.ts'

/**
 * Example data for the components on the page of the design system. Every figure is computed from
 * it by the product's own rules.
 */
export const now = new Date('2026-11-20T15:00:00Z')

/** The instant `days` days before `now`. */
export const ago = (days: number) => new Date(now.getTime() - days * day).toISOString()

export const store: StoreInfo = {
  id: 'example',
  shop: 'fern-and-kiln.example',
  domain: 'fern-and-kiln.example',
  name: 'Fern & Kiln',
  createdAt: ago(90),
  updatedAt: ago(1),
  industry: 'kitchen',
  teamSize: '2-5',
  testingExperience: 'some',
  source: 'search',
  onboarded: true,
  reinstall: false,
  hasSubscribed: true,
  status: 'installed',
  planId: 'advanced-monthly',
  trial: false,
  themeId: 'kiln',
  segmentStatus: null,
  email: 'mara@example.com',
  phone: null,
  currency: 'USD',
  consentRule: 'unlessRefused',
  timeZone: 'America/New_York',
  features: [],
  storeInitials: 'FK',
  isDemo: true,
}

export const statusOf = (sessions: number): StoreStatus => ({
  nextBill: ago(-11),
  usageReset: ago(-11),
  trialEnd: ago(76),
  sessions,
  sessionLimit: 100_000,
  pendingPlan: null,
  subscriptionStatus: 'Active',
})

const plan = (
  id: string,
  title: string,
  level: number,
  price: number,
  over: Partial<Plan> = {},
): Plan => ({
  id,
  title,
  level,
  price,
  limit: 100_000,
  isAnnual: false,
  requireAppointment: false,
  available: true,
  ...over,
})

export const plans: Plan[] = [
  plan('core-monthly', 'Core', 1, 99),
  plan('core-annual', 'Core', 1, 891, { isAnnual: true }),
  plan('advanced-monthly', 'Advanced', 2, 199),
  plan('advanced-annual', 'Advanced', 2, 1791, { isAnnual: true }),
  plan('pro-monthly', 'Pro', 3, 399, { requireAppointment: true }),
]
