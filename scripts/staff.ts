import { isEmail } from '../domain/lead.ts'
import { linkMinutes, plainEmail } from '../domain/staff-user.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import { migrate } from '../engine/db/migrate.ts'
import { addMember } from '../engine/staff-first.ts'
import { linkAddress, newLinkToken } from '../engine/staff-links.ts'

/** npm run staff -- add <e-mail> [name]: adds a member of staff where there is none with this address, and prints a link to set a password. On PGlite the product must be stopped first; on Postgres it may run. */
try {
  const [, , act, address = '', ...words] = process.argv
  if (act !== 'add' || !isEmail(address)) throw new Error('Say whom to add: npm run staff -- add <e-mail> [name]')
  const { DATA_DIR, DATABASE_URL, APP_ORIGIN } = engineConfig(process.env)
  const db = await openDb({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  try {
    await migrate(db)
    const email = plainEmail(address), now = new Date()
    const token = await db.kysely.transaction().execute(async trx => {
      const id = await addMember(trx, email, words.join(' ').trim().slice(0, 100) || email.split('@')[0]!, now, 'Added by npm run staff')
      const { disabled } = await trx.selectFrom('staff_users').select('disabled').where('user_id', '=', id).executeTakeFirstOrThrow()
      if (disabled) throw new Error(`${email} is disabled. Another member enables them in the panel.`)
      return newLinkToken(trx, id, now)
    })
    console.log(`${email} sets a password here, once and within ${linkMinutes} minutes:\n${linkAddress(APP_ORIGIN, token)}`)
  } finally {
    await db.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
