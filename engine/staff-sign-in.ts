import { HttpProblem } from '../domain/problem.ts'
import { passwordProblems, plainEmail } from '../domain/staff-user.ts'
import type { EngineContext } from './context.ts'
import { hashOf } from './auth-tokens.ts'
import type { Mailer } from './mail.ts'
import type { StaffServe } from './routes.ts'
import { audit } from './staff-audit.ts'
import { staffAttempts } from './staff-attempts.ts'
import { linkAddress, linkMail, linkOwner, newLinkToken } from './staff-links.ts'
import { hashPassword, isPassword } from './staff-passwords.ts'
import { endStaffSessions, type StaffSessions, staffUserOf } from './staff-sessions.ts'

/** Staff's sign-in by e-mail and password, and setting a password by a mailed link. Nothing here tells whether an address is a member's. */
export function staffSignIn(serve: StaffServe, { db, clock, config, log }: EngineContext, sessions: StaffSessions, mail: Mailer): void {
  const attempts = staffAttempts(db, clock)
  const limited = { perAddress: config.STAFF_SIGN_INS_PER_ADDRESS }

  serve('staffSignIn', async ({ body }) => {
    const email = plainEmail(body.email)
    await attempts.count('sign-in', email)
    const user = await db.kysely.selectFrom('staff_users').selectAll().where('email', '=', email).executeTakeFirst()
    const isRight = await isPassword(body.password, user?.password_hash ?? null)
    if (!user || !isRight) throw mismatch()
    const at = clock()
    const signedIn = await db.kysely.transaction().execute(async trx => {
      // Looked at again: it may have been disabled, or given another password, while this one was compared.
      const { numUpdatedRows } = await trx.updateTable('staff_users').set({ last_sign_in_at: at })
        .where('user_id', '=', user.user_id).where('disabled', '=', false).where('password_hash', '=', user.password_hash).executeTakeFirstOrThrow()
      if (!numUpdatedRows) throw mismatch()
      const { token, expiresAt } = await sessions.start(trx, user.user_id)
      await audit(trx, { at, by: user.user_id, act: 'Signed in' })
      return { token, expiresAt: expiresAt.toISOString(), user: staffUserOf({ ...user, last_sign_in_at: at }) }
    })
    await attempts.forget('sign-in', email)
    return signedIn
  }, limited)

  serve('staffSignOut', async (_, { id, session }) => {
    await sessions.end(session)
    await audit(db.kysely, { at: clock(), by: id, act: 'Signed out' })
    return { ok: true }
  })

  serve('staffMe', async (_, staff) => staff)

  serve('requestPasswordLink', async ({ body }) => {
    const email = plainEmail(body.email)
    await attempts.count('link', email)
    // Answered before it is looked up: the time tells as little as the words.
    mail.apart(async () => {
      const at = clock()
      const link = await db.kysely.transaction().execute(async trx => {
        const user = await trx.selectFrom('staff_users').select('user_id').where('email', '=', email).where('disabled', '=', false).executeTakeFirst()
        if (!user) return null
        await audit(trx, { at, by: null, act: 'Asked for a link to set a password', about: user.user_id })
        return linkAddress(config.APP_ORIGIN, await newLinkToken(trx, user.user_id, at))
      })
      if (link) mail.send(linkMail({ to: email, link, appOrigin: config.APP_ORIGIN }))
    })
    return { ok: true }
  }, limited)

  serve('passwordLink', async ({ body }) => {
    const owner = await linkOwner(db.kysely, body.token, clock())
    if (!owner) throw deadLink()
    return { email: owner.email, name: owner.name }
  }, limited)

  serve('setPassword', async ({ body: { token, password } }) => {
    const owner = await linkOwner(db.kysely, token, clock())
    if (!owner) throw deadLink()
    const problems = passwordProblems(password, owner.email)
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
    const hash = await hashPassword(password)
    await db.kysely.transaction().execute(async trx => {
      const at = clock()
      // Of two that come with the same link at one moment, the first has it.
      const used = await trx.deleteFrom('staff_links').where('token_hash', '=', hashOf(token)).where('expires_at', '>', at).returning('user_id').executeTakeFirst()
      if (!used) throw deadLink()
      await trx.updateTable('staff_users').set({ password_hash: hash }).where('user_id', '=', owner.id).execute()
      await trx.deleteFrom('staff_links').where('user_id', '=', owner.id).execute()
      await endStaffSessions(trx, owner.id)
      await audit(trx, { at, by: owner.id, act: 'Set a password' })
    })
    await attempts.forget('sign-in', owner.email)
    log.info({ userId: owner.id }, 'a member of staff set a password')
    return { ok: true }
  }, limited)
}

const mismatch = () => new HttpProblem(401, 'E-mail and password do not match.')
const deadLink = () => new HttpProblem(404, 'This link has been used, or is older than 30 minutes.')
