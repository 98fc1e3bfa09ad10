import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { linkMinutes } from '../../../domain/staff/staff-user.ts'
import { minute } from '../../../domain/time-units.ts'
import { hashOf } from '../../session/auth-tokens.ts'
import type { Schema } from '../../db/schema.ts'
import type { Mail } from './mail.ts'

/**
 * Makes a token of 256 random bits with which this member can set a password, once and within half
 * an hour. Only its hash is stored.
 */
export async function newLinkToken(on: Kysely<Schema>, userId: string, now: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await on.deleteFrom('staff_links').where('expires_at', '<=', now).execute()
  await on
    .insertInto('staff_links')
    .values({
      token_hash: hashOf(token),
      user_id: userId,
      expires_at: new Date(now.getTime() + linkMinutes * minute),
    })
    .execute()
  return token
}

/** The member whose password a token sets; undefined when the token is used, expired or unknown. */
export const linkOwner = (on: Kysely<Schema>, token: string, now: Date) =>
  on
    .selectFrom('staff_links as l')
    .innerJoin('staff_users as u', 'u.user_id', 'l.user_id')
    .select(['u.user_id as id', 'u.email', 'u.name'])
    .where('l.token_hash', '=', hashOf(token))
    .where('l.expires_at', '>', now)
    .where('u.disabled', '=', false)
    .executeTakeFirst()

export const linkAddress = (appOrigin: string, token: string): string =>
  `${appOrigin}/reset?token=${token}`

/**
 * `invitedBy`: the name of who added the member, null for the first member; undefined for a link
 * that was asked for.
 */
export function linkMail({
  to,
  link,
  appOrigin,
  invitedBy,
}: {
  to: string
  link: string
  appOrigin: string
  invitedBy?: string | null
}): Mail {
  const again = `It works once, within ${linkMinutes} minutes. You can get a new link at ${appOrigin}/reset at any time.`
  if (invitedBy === undefined)
    return {
      to,
      subject: 'Set your Twinshelf password',
      text: `Set a new password for Twinshelf's staff panel:\n\n${link}\n\n${again}\n\nIf you did not ask for this, you can ignore this mail: your password has not changed.\n`,
    }
  return {
    to,
    subject: 'Your invitation to Twinshelf',
    text: `${invitedBy ? `${invitedBy} has` : 'You were'} added ${invitedBy ? 'you ' : ''}to the staff of Twinshelf. Set a password to sign in:\n\n${link}\n\n${again}\n`,
  }
}
