import { HttpProblem } from '../../../domain/problem.ts'
import { stepAfterPassword } from '../../../domain/staff/second-factor.ts'
import { passwordProblems, plainEmail } from '../../../domain/staff/staff-user.ts'
import type { EngineContext } from '../../context.ts'
import { hashOf } from '../../session/auth-tokens.ts'
import { keyRing } from '../../session/key-ring.ts'
import type { Mailer } from './mail.ts'
import type { StaffServe } from '../../http/routes.ts'
import { audit } from './staff-audit.ts'
import { staffAttempts } from './staff-attempts.ts'
import { staffDevices } from './staff-devices.ts'
import { type Guesser, staffGuesses } from './staff-guesses.ts'
import { linkAddress, linkMail, linkOwner, newLinkToken } from './staff-links.ts'
import { hashPassword, isPassword } from './staff-passwords.ts'
import { placeOf } from './staff-place.ts'
import { ofNetwork, staffSecondFactor } from './staff-second-factor.ts'
import { staffSessionCalls } from './staff-session-calls.ts'
import { endStaffSessions, type StaffSessions, staffUserOf } from './staff-sessions.ts'

/**
 * Serves staff sign-in by e-mail and password, and setting a password with a mailed link. No answer
 * reveals whether an address belongs to a member.
 */
export function staffSignIn(
  serve: StaffServe,
  context: EngineContext,
  sessions: StaffSessions,
  mail: Mailer,
): void {
  const { db, clock, config, log } = context
  staffSecondFactor(serve, context, sessions)
  staffSessionCalls(serve, context, sessions)
  const attempts = staffAttempts(db, clock),
    guesses = staffGuesses(db, clock),
    devices = staffDevices(keyRing(config))
  const limited = { perAddress: config.STAFF_SIGN_INS_PER_ADDRESS }

  serve(
    'staffSignIn',
    async ({ body }, _, address) => {
      const email = plainEmail(body.email)
      const user = await db.kysely
        .selectFrom('staff_users')
        .selectAll()
        .where('email', '=', email)
        .executeTakeFirst()
      const device = user ? devices.read(body.device, user.user_id) : null
      // A device that has signed in before only waits because of its own wrong guesses.
      const guessers: Guesser[] = device
        ? [{ count: 'device', of: device }]
        : [{ count: 'account', of: email }, ...ofNetwork(address)]
      await guesses.count(guessers)
      const isRight = await isPassword(body.password, user?.password_hash ?? null)
      if (!user || !isRight) throw mismatch()
      const at = clock(),
        needs = stepAfterPassword(user.totp_secret !== null, config.NODE_ENV === 'production')
      const signedIn = await db.kysely.transaction().execute(async trx => {
        // Check again in the update: the member may have been disabled, or the password changed,
        // while the hash was compared.
        const { numUpdatedRows } = await trx
          .updateTable('staff_users')
          .set({ last_sign_in_at: needs ? user.last_sign_in_at : at })
          .where('user_id', '=', user.user_id)
          .where('disabled', '=', false)
          .where('password_hash', '=', user.password_hash)
          .executeTakeFirstOrThrow()
        if (!numUpdatedRows) throw mismatch()
        const { token, expiresAt } = await sessions.start(
          trx,
          user.user_id,
          placeOf(address, body.userAgent),
          needs,
        )
        if (!needs) await audit(trx, { at, by: user.user_id, act: 'Signed in' })
        return {
          token,
          expiresAt: expiresAt.toISOString(),
          needs,
          user: staffUserOf({ ...user, last_sign_in_at: needs ? user.last_sign_in_at : at }),
          device: needs ? null : device && body.device ? body.device : devices.make(user.user_id),
        }
      })
      await guesses.forget(guessers)
      return signedIn
    },
    limited,
  )

  serve(
    'staffSignOut',
    async (_, { id, session, needs }) => {
      await sessions.end(session)
      if (!needs) await audit(db.kysely, { at: clock(), by: id, act: 'Signed out' })
      return { ok: true }
    },
    { unfinished: true },
  )

  serve('staffMe', async (_, staff) => staff)

  serve(
    'requestPasswordLink',
    async ({ body }) => {
      const email = plainEmail(body.email)
      await attempts.count('link', email)
      // Answer before the lookup, so that the response time reveals nothing either.
      mail.apart(async () => {
        const at = clock()
        const link = await db.kysely.transaction().execute(async trx => {
          const user = await trx
            .selectFrom('staff_users')
            .select('user_id')
            .where('email', '=', email)
            .where('disabled', '=', false)
            .executeTakeFirst()
          if (!user) return null
          await audit(trx, {
            at,
            by: null,
            act: 'Asked for a link to set a password',
            about: user.user_id,
          })
          return linkAddress(config.APP_ORIGIN, await newLinkToken(trx, user.user_id, at))
        })
        if (link) mail.send(linkMail({ to: email, link, appOrigin: config.APP_ORIGIN }))
      })
      return { ok: true }
    },
    limited,
  )

  serve(
    'passwordLink',
    async ({ body }) => {
      const owner = await linkOwner(db.kysely, body.token, clock())
      if (!owner) throw deadLink()
      return { email: owner.email, name: owner.name }
    },
    limited,
  )

  serve(
    'setPassword',
    async ({ body: { token, password } }) => {
      const owner = await linkOwner(db.kysely, token, clock())
      if (!owner) throw deadLink()
      const problems = passwordProblems(password, owner.email)
      if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
      const hash = await hashPassword(password)
      await db.kysely.transaction().execute(async trx => {
        const at = clock()
        // When two requests use the same link at the same moment, only the first succeeds.
        const used = await trx
          .deleteFrom('staff_links')
          .where('token_hash', '=', hashOf(token))
          .where('expires_at', '>', at)
          .returning('user_id')
          .executeTakeFirst()
        if (!used) throw deadLink()
        await trx
          .updateTable('staff_users')
          .set({ password_hash: hash })
          .where('user_id', '=', owner.id)
          .execute()
        await trx.deleteFrom('staff_links').where('user_id', '=', owner.id).execute()
        await endStaffSessions(trx, owner.id)
        await audit(trx, { at, by: owner.id, act: 'Set a password' })
      })
      await guesses.forget([{ count: 'account', of: owner.email }])
      log.info({ userId: owner.id }, 'a member of staff set a password')
      // A person who reads the member's mail uses the member's own device. So other people's
      // guesses must not delay its sign-in.
      return { ok: true, device: devices.make(owner.id) }
    },
    limited,
  )
}

const mismatch = () => new HttpProblem(401, 'E-mail and password do not match.')
const deadLink = () => new HttpProblem(404, 'This link has been used, or is older than 30 minutes.')
