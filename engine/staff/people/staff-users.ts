import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { HttpProblem, type FieldProblem } from '../../../domain/problem.ts'
import type { StaffAct, StaffUser } from '../../../domain/staff-calls/users.ts'
import { nameProblems, plainEmail, staffUserProblems } from '../../../domain/staff/staff-user.ts'
import type { EngineContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { Mailer } from './mail.ts'
import { knownId, notFound, type StaffServe } from '../../http/routes.ts'
import { audit } from './staff-audit.ts'
import { staffAttempts } from './staff-attempts.ts'
import { linkAddress, linkMail, newLinkToken } from './staff-links.ts'
import { endStaffSessions, staffUserOf } from './staff-sessions.ts'

const member = 'member of staff'
const actsShown = 20

const orders = {
  name: sql`lower(name)`,
  createdAt: sql.ref('created_at'),
  lastSignInAt: sql.ref('last_sign_in_at'),
} as const

/** Serves the list of members of staff, and changes to them. Every change is in the audit log. */
export function staffUsers(
  serve: StaffServe,
  { db, clock, config }: EngineContext,
  mail: Mailer,
): void {
  const attempts = staffAttempts(db, clock)

  serve(
    'staffUsers',
    async ({
      query: { search = '', page = 0, perPage = 10, sort = 'name', descending = false },
    }) => {
      const wanted = search.trim().toLowerCase()
      const found = db.kysely
        .selectFrom('staff_users')
        .$if(wanted !== '', q =>
          q.where(sql<boolean>`position(${wanted} in lower(name || ' ' || email)) > 0`),
        )
      const { count } = await found
        .select(eb => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      // Members who never signed in come last, in either direction.
      const rows = await found
        .selectAll()
        .orderBy(orders[sort], ob => (descending ? ob.desc() : ob.asc()).nullsLast())
        .orderBy('email')
        .limit(perPage)
        .offset(page * perPage)
        .execute()
      return { users: rows.map(staffUserOf), count: Number(count) }
    },
  )

  serve('staffUser', ({ params: { id } }) => find(db.kysely, id))

  serve('staffActs', async ({ params: { id } }) => {
    await find(db.kysely, id)
    return actsAbout(db.kysely, id)
  })

  serve('addStaffUser', async ({ body }, staff) => {
    refuse(staffUserProblems(body))
    const email = plainEmail(body.email),
      name = body.name.trim(),
      at = clock(),
      id = randomUUID()
    const token = await db.kysely.transaction().execute(async trx => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('staff_users')
        .values({
          user_id: id,
          email,
          name,
          password_hash: null,
          created_at: at,
          last_sign_in_at: null,
        })
        .onConflict(oc => oc.column('email').doNothing())
        .executeTakeFirstOrThrow()
      if (!numInsertedOrUpdatedRows) throw taken()
      await audit(trx, { at, by: staff.id, act: 'Added a member', about: id, detail: email })
      return newLinkToken(trx, id, at)
    })
    return mailed(await find(db.kysely, id), token, staff.name)
  })

  serve('renameStaffUser', ({ params, body }, staff) => {
    refuse(nameProblems(body.name))
    const name = body.name.trim()
    return changed(params.id, async (trx, user) => {
      if (user.name === name) return
      await trx.updateTable('staff_users').set({ name }).where('user_id', '=', user.id).execute()
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Renamed',
        about: user.id,
        detail: `${user.name} to ${name}`,
      })
    })
  })

  serve('disableStaffUser', ({ params, body: { disabled } }, staff) =>
    changed(params.id, async (trx, user) => {
      if (user.id === staff.id && disabled)
        throw new HttpProblem(409, 'Nobody can disable themselves. Ask another member of staff.')
      if (user.disabled === disabled) return
      await trx
        .updateTable('staff_users')
        .set({ disabled })
        .where('user_id', '=', user.id)
        .execute()
      if (disabled) {
        await endStaffSessions(trx, user.id)
        await trx.deleteFrom('staff_links').where('user_id', '=', user.id).execute()
      }
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: disabled ? 'Disabled' : 'Enabled',
        about: user.id,
        detail: user.email,
      })
    }),
  )

  serve('sendPasswordLink', async ({ params }, staff) => {
    const { email } = await find(db.kysely, params.id)
    await attempts.count('link', email)
    let token = ''
    const user = await changed(params.id, async (trx, { id, disabled }) => {
      if (disabled) throw new HttpProblem(409, 'The account is disabled. Enable it first.')
      token = await newLinkToken(trx, id, clock())
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Sent a link to set a password',
        about: id,
        detail: email,
      })
    })
    return mailed(user, token, user.invited ? staff.name : undefined)
  })

  serve('signOutStaffUser', async ({ params }, staff) => {
    let ended = 0
    await changed(params.id, async (trx, { id, email }) => {
      ended = await endStaffSessions(trx, id)
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Signed out everywhere',
        about: id,
        detail: email,
      })
    })
    return { ended }
  })

  /** Changes one locked member, and returns them as they are afterwards. */
  function changed(
    id: string,
    change: (trx: Kysely<Schema>, user: StaffUser) => Promise<void>,
  ): Promise<StaffUser> {
    return db.kysely.transaction().execute(async trx => {
      await change(trx, await find(trx, id, true))
      return find(trx, id)
    })
  }

  function mailed(user: StaffUser, token: string, invitedBy: string | undefined) {
    if (mail.isOn)
      mail.send(
        linkMail({
          to: user.email,
          link: linkAddress(config.APP_ORIGIN, token),
          appOrigin: config.APP_ORIGIN,
          ...(invitedBy !== undefined && { invitedBy }),
        }),
      )
    return { user, mailed: mail.isOn }
  }
}

async function find(on: Kysely<Schema>, id: string, toChange = false): Promise<StaffUser> {
  const row = await on
    .selectFrom('staff_users')
    .selectAll()
    .where('user_id', '=', knownId(id, member))
    .$if(toChange, q => q.forUpdate())
    .executeTakeFirst()
  if (!row) throw notFound(member)
  return staffUserOf(row)
}

const taken = () => {
  const message = 'This email address is already in use.'
  return new HttpProblem(409, message, [{ field: 'email', message }])
}

function refuse(problems: FieldProblem[]): void {
  if (problems.length > 0)
    throw new HttpProblem(400, problems.map(({ message }) => message).join(' '), problems)
}

/** What this member of staff did, and what was done to this account or store, newest first. */
export async function actsAbout(kysely: Kysely<Schema>, id: string): Promise<StaffAct[]> {
  const rows = await kysely
    .selectFrom('staff_acts as a')
    .leftJoin('staff_users as u', 'u.user_id', 'a.user_id')
    .select(['a.at', 'a.user_id as by', 'u.name', 'a.act', 'a.detail'])
    .where(eb => eb.or([eb('a.user_id', '=', id), eb('a.about', '=', id)]))
    .orderBy('a.seq', 'desc')
    .limit(actsShown)
    .execute()
  return rows.map(({ at, by, name, act, detail }) => ({
    at: at.toISOString(),
    by: by === null ? null : { id: by, name: name! },
    act,
    detail,
  }))
}
