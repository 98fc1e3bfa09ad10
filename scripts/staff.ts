import type { Kysely } from 'kysely'
import { isEmail } from '../domain/plans/lead.ts'
import { linkMinutes, plainEmail } from '../domain/staff/staff-user.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import { migrate } from '../engine/db/migrate.ts'
import type { Schema } from '../engine/db/schema.ts'
import { audit } from '../engine/staff/people/staff-audit.ts'
import { forgetSecondFactor } from '../engine/staff/people/staff-codes.ts'
import { addMember } from '../engine/staff/people/staff-first.ts'
import { linkAddress, newLinkToken } from '../engine/staff/people/staff-links.ts'
import { endStaffSessions } from '../engine/staff/people/staff-sessions.ts'

/**
 * npm run staff -- add <e-mail> [name]: adds a member of staff when there is none with this
 * address, and prints a link to set a password. `reset <e-mail>` removes a member's second factor,
 * when no other member can. With PGlite the product must be stopped first; with Postgres it may
 * run.
 */
try {
  const [, , act, address = '', ...words] = process.argv
  if ((act !== 'add' && act !== 'reset') || !isEmail(address))
    throw new Error(
      'Usage: npm run staff -- add <e-mail> [name], or npm run staff -- reset <e-mail>',
    )
  const { DATA_DIR, DATABASE_URL, APP_ORIGIN } = engineConfig(process.env)
  const db = await openDb({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  try {
    await migrate(db)
    const email = plainEmail(address),
      now = new Date()
    if (act === 'reset') {
      await db.kysely.transaction().execute(trx => reset(trx, email, now))
      console.log(
        `${email} can sign in with the password alone, and then sets up a new second factor.`,
      )
    } else await add(email, now)
  } finally {
    await db.close()
  }

  async function add(email: string, now: Date): Promise<void> {
    const token = await db.kysely.transaction().execute(async trx => {
      const id = await addMember(
        trx,
        email,
        words.join(' ').trim().slice(0, 100) || email.split('@')[0]!,
        now,
        'Added by npm run staff',
      )
      const { disabled } = await trx
        .selectFrom('staff_users')
        .select('disabled')
        .where('user_id', '=', id)
        .executeTakeFirstOrThrow()
      if (disabled)
        throw new Error(`${email} is disabled. Another member enables them in the panel.`)
      return newLinkToken(trx, id, now)
    })
    console.log(
      `${email} can set a password here, once and within ${linkMinutes} minutes:\n${linkAddress(APP_ORIGIN, token)}`,
    )
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function reset(trx: Kysely<Schema>, email: string, at: Date): Promise<void> {
  const user = await trx
    .selectFrom('staff_users')
    .select('user_id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (!user) throw new Error(`There is no member of staff with the address ${email}.`)
  await forgetSecondFactor(trx, user.user_id)
  await endStaffSessions(trx, user.user_id)
  await audit(trx, {
    at,
    by: null,
    act: 'Reset two-step sign-in',
    about: user.user_id,
    detail: 'by npm run staff',
  })
}
