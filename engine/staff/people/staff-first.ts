import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { plainEmail } from '../../../domain/staff/staff-user.ts'
import type { EngineContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { Mailer } from './mail.ts'
import { audit } from './staff-audit.ts'
import { linkAddress, linkMail, newLinkToken } from './staff-links.ts'
import { hashPassword, isPassword } from './staff-passwords.ts'

/**
 * Adds the member from ADMIN_EMAIL when there is no staff yet, and mails them a link. When several
 * processes start, only the first does it.
 */
export async function inviteFirst(
  { db, clock, config }: EngineContext,
  mail: Mailer,
): Promise<void> {
  if (!config.ADMIN_EMAIL) return
  const email = plainEmail(config.ADMIN_EMAIL)
  const token = await db.kysely.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtext('twinshelf first staff'))`.execute(trx)
    if (await trx.selectFrom('staff_users').select('user_id').limit(1).executeTakeFirst())
      return null
    return newLinkToken(
      trx,
      await addMember(
        trx,
        email,
        email.split('@')[0]!,
        clock(),
        'Added at a start that found nobody',
      ),
      clock(),
    )
  })
  if (token)
    mail.send(
      linkMail({
        to: email,
        link: linkAddress(config.APP_ORIGIN, token),
        appOrigin: config.APP_ORIGIN,
        invitedBy: null,
      }),
    )
}

/**
 * Adds a member without a password. `act` goes into the audit log, since no member did this.
 * Returns their id, or that of the existing member with this address.
 */
export async function addMember(
  on: Kysely<Schema>,
  email: string,
  name: string,
  at: Date,
  act: string,
): Promise<string> {
  const known = await on
    .selectFrom('staff_users')
    .select('user_id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (known) return known.user_id
  const id = randomUUID()
  await on
    .insertInto('staff_users')
    .values({
      user_id: id,
      email,
      name,
      password_hash: null,
      created_at: at,
      last_sign_in_at: null,
    })
    .execute()
  await audit(on, { at, by: null, act, about: id, detail: email })
  return id
}

type PublicMember = { email: string; name: string; password: string; act: string }

/**
 * Returns this member with a public password, for a fresh clone; created if missing. Null in
 * production, and when they are disabled or have another password by now.
 */
export async function publicMember(
  { db, clock, config }: EngineContext,
  member: PublicMember,
): Promise<PublicMember | null> {
  if (config.NODE_ENV === 'production') return null
  const { email, password, name, act } = member
  const find = () =>
    db.kysely
      .selectFrom('staff_users')
      .select(['password_hash', 'disabled'])
      .where('email', '=', email)
      .executeTakeFirst()
  if (!(await find())) {
    const hash = await hashPassword(password)
    await db.kysely.transaction().execute(async trx => {
      await trx
        .updateTable('staff_users')
        .set({ password_hash: hash })
        .where('user_id', '=', await addMember(trx, email, name, clock(), act))
        .execute()
    })
  }
  const user = await find()
  return user && !user.disabled && (await isPassword(password, user.password_hash)) ? member : null
}
