import * as Type from 'typebox'
import { closed } from '../api/call.ts'
import type { FieldProblem } from '../problem.ts'
import type { StoreInfo } from '../stores/store.ts'
import { day, hour } from '../time-units.ts'

/** The most characters of a first or last name that are stored. */
export const longestName = 100
const Name = Type.Optional(Type.String({ maxLength: longestName }))
/**
 * `leadProblems` checks the e-mail address, with fixed messages (requirements 15.1, 15.2). First
 * and last name are not validated.
 */
export const LeadInput = Type.Object(
  { firstName: Name, lastName: Name, email: Type.Optional(Type.String({ maxLength: 320 })) },
  closed,
)
export type LeadInput = Type.Static<typeof LeadInput>

/**
 * A name as it is stored. A longer one is cut, because the form refuses no name (requirements
 * 15.4).
 */
export const storedName = (name: string): string => name.trim().slice(0, longestName).toWellFormed()

/** The choices in the form. The form does not send them (requirements 6.12). */
export const visitorRanges = ['1M-2M', '2M-3M', '3M-4M', '5M+'] as const

/**
 * How a request came: by the form, after which we write, or on the way to the meeting scheduler.
 */
export const leadVias = ['form', 'booking'] as const
export type LeadVia = (typeof leadVias)[number]
export const LeadQuery = Type.Object(
  {
    /** The merchant is shown the scheduler next. The request is kept in either case. */
    booking: Type.Optional(Type.Boolean()),
  },
  closed,
)

/**
 * When the mail about a request is due; null when none is. A changed contact is mailed again after
 * an hour, and an unchanged request after a day, so that one merchant cannot fill the mailbox.
 */
export function leadMailDue(
  { mailedAt, isChanged }: { mailedAt: Date | null; isChanged: boolean },
  now: Date,
): Date | null {
  if (mailedAt === null) return now
  const from = mailedAt.getTime() + (isChanged ? hour : day)
  if (from <= now.getTime()) return now
  return isChanged ? new Date(from) : null
}

/** Whether a text has the form of an e-mail address. */
export const isEmail = (text: string): boolean => address.test(text)
const address = /^[^\s@<>(),;:"[\]\\]+@[^\s@.<>(),;:"[\]\\]+(\.[^\s@.<>(),;:"[\]\\]+)+$/

/**
 * Validation of the custom plan request (requirements 15.3). Under the field the form shows "Email
 * is required" in either case.
 */
export function leadProblems({ email = '' }: LeadInput): FieldProblem[] {
  const given = email.trim()
  if (given === '') return [{ field: 'email', message: 'Value is required' }]
  return isEmail(given) ? [] : [{ field: 'email', message: 'Value is not a valid email address' }]
}

/** The meeting scheduler's page for one lead (requirements 19.8). */
export function bookingUrl(
  scheduler: string,
  { firstName = '', lastName = '', email = '' }: LeadInput,
  store: Pick<StoreInfo, 'id' | 'name' | 'shop'>,
): string {
  const url = new URL(scheduler)
  const said = {
    firstName,
    lastName,
    email,
    storeName: store.name,
    storeId: store.id,
    shop: store.shop,
    customPricing: 'true',
  }
  for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value)
  return url.href
}
