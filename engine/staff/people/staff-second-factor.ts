import type { Kysely } from 'kysely'
import { HttpProblem } from '../../../domain/problem.ts'
import { codeProblem, wrongCode } from '../../../domain/staff/second-factor.ts'
import type { StaffOutput } from '../../../domain/staff/staff-contract.ts'
import type { EngineContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { sealOf } from '../../session/seal.ts'
import { keyRing } from '../../session/key-ring.ts'
import { knownId, notFound, type StaffCaller, type StaffServe } from '../../http/routes.ts'
import { audit } from './staff-audit.ts'
import {
  forgetSecondFactor,
  makeRecoveryCodes,
  newSecret,
  secretAddress,
  stepOf,
  takeCode,
} from './staff-codes.ts'
import { staffDevices } from './staff-devices.ts'
import { type Guesser, staffGuesses } from './staff-guesses.ts'
import { networkOf } from '../../events/networks/networks.ts'
import { endStaffSessions, type StaffSessions, staffUserOf } from './staff-sessions.ts'

type Trx = Kysely<Schema>

/**
 * Serves codes at sign-in, and setting up and removing a second factor. All of it is in the audit
 * log.
 */
export function staffSecondFactor(
  serve: StaffServe,
  { db, clock, config }: EngineContext,
  sessions: StaffSessions,
): void {
  const guesses = staffGuesses(db, clock),
    ring = keyRing(config),
    devices = staffDevices(ring),
    seal = sealOf(ring, 'secondFactors')
  const isProduction = config.NODE_ENV === 'production'
  const unfinished = { unfinished: true } as const

  serve(
    'staffStep',
    async (_, { needs, session: __, ...user }) => ({ needs, user, isCompulsory: isProduction }),
    unfinished,
  )

  serve(
    'staffCode',
    async ({ body: { code, device } }, staff, address) => {
      if (staff.needs !== 'code') throw new HttpProblem(409, 'This sign-in needs no code.')
      return guessed(staff, { code, device, field: 'code' }, address, async trx => {
        const kind = await takeCode(trx, seal, staff.id, code, clock())
        return (
          kind &&
          finish(trx, staff, device, kind === 'recovery' ? 'with a recovery code' : undefined)
        )
      })
    },
    unfinished,
  )

  serve(
    'startSecondFactor',
    async (_, staff) => {
      if (staff.needs === 'code') throw new HttpProblem(409, 'This sign-in needs a code first.')
      const { pending_secret: pending } = await db.kysely
        .selectFrom('staff_sessions')
        .select('pending_secret')
        .where('token_hash', '=', staff.session)
        .executeTakeFirstOrThrow()
      const known = pending && seal.open(staff.id, pending),
        secret = known ?? newSecret()
      if (!known)
        await db.kysely
          .updateTable('staff_sessions')
          .set({ pending_secret: seal.close(staff.id, secret) })
          .where('token_hash', '=', staff.session)
          .execute()
      return { secret, address: secretAddress(secret, staff.email), hasOne: staff.secondFactor }
    },
    unfinished,
  )

  serve(
    'confirmSecondFactor',
    async ({ body: { code, current = '', device } }, staff, address) => {
      if (staff.needs === 'code') throw new HttpProblem(409, 'This sign-in needs a code first.')
      const { pending_secret: pending } = await db.kysely
        .selectFrom('staff_sessions')
        .select('pending_secret')
        .where('token_hash', '=', staff.session)
        .executeTakeFirstOrThrow()
      const secret = pending && seal.open(staff.id, pending)
      if (!secret) throw new HttpProblem(409, 'No second factor is being set up. Start again.')
      refuse('code', codeProblem(code))
      const step = stepOf(secret, code, clock())
      const put = async (trx: Trx) => {
        if (step === null) throw wrong('code')
        await trx
          .updateTable('staff_users')
          .set({ totp_secret: seal.close(staff.id, secret), totp_step: step })
          .where('user_id', '=', staff.id)
          .execute()
        await trx
          .updateTable('staff_sessions')
          .set({ pending_secret: null })
          .where('user_id', '=', staff.id)
          .execute()
        await audit(trx, { at: clock(), by: staff.id, act: 'Set up two-step sign-in' })
        const codes = await makeRecoveryCodes(trx, staff.id)
        return {
          codes,
          signedIn: staff.needs
            ? await finish(trx, { ...staff, secondFactor: true }, device)
            : null,
        }
      }
      // Replacing an existing factor needs a current code, so that a stranger at an open session
      // cannot replace it with their own. Setting up the first one needs none; if two requests do
      // so at the same moment, the later one gets an error.
      if (!staff.secondFactor)
        return db.kysely.transaction().execute(async trx => {
          const own = await trx
            .selectFrom('staff_users')
            .select('totp_secret')
            .where('user_id', '=', staff.id)
            .forUpdate()
            .executeTakeFirstOrThrow()
          if (own.totp_secret !== null)
            throw new HttpProblem(409, 'Two-step sign-in was set up a moment ago. Sign in again.')
          return put(trx)
        })
      return guessed(
        staff,
        { code: current, device, field: 'current' },
        address,
        async trx => (await takeCode(trx, seal, staff.id, current, clock())) && put(trx),
      )
    },
    unfinished,
  )

  serve('newRecoveryCodes', ({ body }, staff, address) =>
    byCode(staff, body, address, async trx => {
      await audit(trx, { at: clock(), by: staff.id, act: 'Made new recovery codes' })
      return { codes: await makeRecoveryCodes(trx, staff.id) }
    }),
  )

  serve('endSecondFactor', async ({ body }, staff, address) => {
    if (isProduction) throw new HttpProblem(409, 'Two-step sign-in cannot be turned off here.')
    return byCode(staff, body, address, async trx => {
      await forgetSecondFactor(trx, staff.id)
      await audit(trx, { at: clock(), by: staff.id, act: 'Turned off two-step sign-in' })
      return { ...staff, secondFactor: false }
    })
  })

  serve('resetSecondFactor', ({ params }, staff) =>
    db.kysely.transaction().execute(async trx => {
      const id = knownId(params.id, member)
      if (id === staff.id)
        throw new HttpProblem(
          409,
          'Nobody can reset their own two-step sign-in. Ask another member of staff.',
        )
      const user = await trx
        .selectFrom('staff_users')
        .selectAll()
        .where('user_id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!user) throw notFound(member)
      await forgetSecondFactor(trx, id)
      await endStaffSessions(trx, id)
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Reset two-step sign-in',
        about: id,
        detail: user.email,
      })
      return staffUserOf({ ...user, totp_secret: null })
    }),
  )

  /**
   * Does `work`, which checks a code, and counts it as a guess until it proves right. Throws a 400
   * when the code is wrong.
   */
  async function guessed<T>(
    staff: StaffCaller,
    { code, device, field }: { code: string; device: string | undefined; field: string },
    address: string,
    work: (trx: Trx) => Promise<T | null>,
  ): Promise<T> {
    refuse(field, codeProblem(code))
    const known = devices.read(device, staff.id)
    const guessers: Guesser[] = known
      ? [{ count: 'device', of: `code ${known}` }]
      : [{ count: 'code', of: staff.id }, ...ofNetwork(address)]
    await guesses.count(guessers)
    const done = await db.kysely.transaction().execute(work)
    if (done === null) throw wrong(field)
    await guesses.forget(guessers)
    return done
  }

  /**
   * Changing one's own second factor needs a code, because a stranger may be at an open session.
   */
  function byCode<T>(
    staff: StaffCaller,
    { code, device }: { code: string; device?: string },
    address: string,
    work: (trx: Trx) => Promise<T>,
  ): Promise<T> {
    if (!staff.secondFactor) throw new HttpProblem(409, 'Two-step sign-in is not set up.')
    return guessed(
      staff,
      { code, device, field: 'code' },
      address,
      async trx => (await takeCode(trx, seal, staff.id, code, clock())) && work(trx),
    )
  }

  /** Starts the session of a completed sign-in, in place of the unfinished one. */
  async function finish(
    trx: Trx,
    staff: StaffCaller,
    device: string | undefined,
    detail?: string,
  ): Promise<StaffOutput<'staffCode'>> {
    const { browser, network } = await trx
      .selectFrom('staff_sessions')
      .select(['browser', 'network'])
      .where('token_hash', '=', staff.session)
      .executeTakeFirstOrThrow()
    await trx.deleteFrom('staff_sessions').where('token_hash', '=', staff.session).execute()
    const at = clock()
    await trx
      .updateTable('staff_users')
      .set({ last_sign_in_at: at })
      .where('user_id', '=', staff.id)
      .execute()
    const { token, expiresAt } = await sessions.start(trx, staff.id, { browser, network })
    await audit(trx, { at, by: staff.id, act: 'Signed in', ...(detail && { detail }) })
    const { needs: _, session: __, ...user } = staff
    return {
      token,
      expiresAt: expiresAt.toISOString(),
      needs: null,
      user: { ...user, lastSignInAt: at.toISOString() },
      device: devices.read(device, staff.id) && device ? device : devices.make(staff.id),
    }
  }
}

/** The network by which guesses are counted; none for this machine and private networks. */
export const ofNetwork = (address: string): Guesser[] => {
  const network = networkOf(address)
  return network === null ? [] : [{ count: 'network', of: network }]
}

const member = 'member of staff'
const wrong = (field: string) => new HttpProblem(400, wrongCode, [{ field, message: wrongCode }])
function refuse(field: string, message: string | null): void {
  if (message) throw new HttpProblem(400, message, [{ field, message }])
}
