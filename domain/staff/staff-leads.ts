import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../api/call.ts'
import { type LeadVia, leadVias } from '../plans/lead.ts'
import { StoreName } from './staff-list.ts'

/** `open`: waits for an answer. `closed`: needs none. */
export const leadStates = ['open', 'answered', 'closed'] as const
export type LeadState = (typeof leadStates)[number]
export const leadStateLabels: Record<LeadState, string> = {
  open: 'Open',
  answered: 'Answered',
  closed: 'Closed',
}
/** What staff should know about how a request came. */
export const leadViaWords: Record<LeadVia, string> = {
  form: 'Expects an email',
  booking: 'Was shown the scheduler',
}

/**
 * `off`: no mail is sent, because it is not configured. `waiting`: the mail is sent within seconds,
 * or after the merchant's last change. `failing`: the mail server refused it; it is tried again.
 */
export const leadMailStates = ['sent', 'waiting', 'failing', 'off'] as const
export type LeadMailState = (typeof leadMailStates)[number]

/** The request of a merchant for a plan that is agreed in person, as staff see it. */
export const Lead = Type.Object({
  id: Type.String(),
  store: StoreName,
  at: Instant,
  /** When the merchant sent or changed it last. */
  askedAt: Instant,
  name: Type.String(),
  email: Type.String(),
  via: Type.Enum([...leadVias]),
  state: Type.Enum([...leadStates]),
  note: Type.String(),
  /** The last change by staff. `by`: null when the merchant has sent the request again since. */
  changed: Maybe(Type.Object({ at: Instant, by: Maybe(Type.String()) })),
  mail: Type.Enum([...leadMailStates]),
})
export type Lead = Type.Static<typeof Lead>
export const leadSorts = ['askedAt', 'store', 'name'] as const

export const longestNote = 2000
/** `changedAt`: the last change that staff saw, so that none is overwritten unseen. */
export const LeadChange = Type.Object(
  {
    state: Type.Enum([...leadStates]),
    note: Type.String({ maxLength: longestNote }),
    changedAt: Maybe(Type.String({ maxLength: 40 })),
  },
  closed,
)
export type LeadChange = Type.Static<typeof LeadChange>

type Standing = Pick<Lead, 'state' | 'note'>
/**
 * The change in words, for the staff log; null when nothing changes. It names no person, because
 * the log is kept when a shop's contacts are erased.
 */
export function leadChangeWords(before: Standing, after: Standing): string | null {
  const words = [
    ...(before.state === after.state
      ? []
      : [`${leadStateLabels[before.state]} to ${leadStateLabels[after.state].toLowerCase()}`]),
    ...(before.note === after.note ? [] : [after.note === '' ? 'Note removed' : 'Note changed']),
  ]
  return words.length > 0 ? words.join('. ') : null
}

/** Where requests are mailed. `isMailOn`: whether the program can send or show mails at all. */
export const LeadMailing = Type.Object({
  address: Maybe(Type.String()),
  isMailOn: Type.Boolean(),
})
export type LeadMailing = Type.Static<typeof LeadMailing>
export const isMailed = ({ address, isMailOn }: LeadMailing): boolean =>
  address !== null && isMailOn

/** Why requests are not mailed, and what to do; null when they are. */
export function leadMailProblem({ address, isMailOn }: LeadMailing): string | null {
  if (address === null)
    return 'No address is set, so requests are only listed here. Set LEADS_EMAIL to get a mail for each.'
  return isMailOn
    ? null
    : `Mail is not configured, so nothing is sent to ${address}. Set SMTP_URL and MAIL_FROM.`
}

/**
 * Only open requests are mailed. `attempts`: failed attempts of the mail that waits; null when none
 * waits.
 */
export function leadMailState(
  {
    state,
    mailedAt,
    attempts,
  }: { state: LeadState; mailedAt: Date | null; attempts: number | null },
  mailing: LeadMailing,
): LeadMailState {
  if (state !== 'open') return mailedAt === null ? 'off' : 'sent'
  if (attempts !== null && isMailed(mailing)) return attempts > 0 ? 'failing' : 'waiting'
  if (mailedAt !== null) return 'sent'
  return isMailed(mailing) ? 'waiting' : 'off'
}
