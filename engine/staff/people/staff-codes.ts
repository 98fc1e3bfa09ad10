import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import {
  codeDigits,
  codePeriod,
  codeWindow,
  inGroups,
  isAppCode,
  isRecoveryCode,
  plainCode,
  recoveryCodes,
} from '../../../domain/staff/second-factor.ts'
import { hashOf } from '../../session/auth-tokens.ts'
import type { Schema } from '../../db/schema.ts'
import type { Seal } from '../../session/seal.ts'

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({
    issuer: 'Twinshelf staff',
    label,
    secret: Secret.fromBase32(secret),
    digits: codeDigits,
    period: codePeriod,
  })

/** A new secret of 160 random bits in the form that authenticator apps accept. */
export const newSecret = (): string => new Secret({ size: 20 }).base32
/** The address that the QR code contains. */
export const secretAddress = (secret: string, email: string): string =>
  totpOf(secret, email).toString()

/**
 * The time step that this code belongs to, among the steps that are accepted now; null when it fits
 * none.
 */
export function stepOf(secret: string, typed: string, now: Date): number | null {
  const token = plainCode(typed)
  const delta = isAppCode(token)
    ? totpOf(secret).validate({ token, timestamp: now.getTime(), window: codeWindow })
    : null
  return delta === null ? null : Math.floor(now.getTime() / 1000 / codePeriod) + delta
}

/** Uses up a member's code. Returns its kind; null when the code is wrong. */
export async function takeCode(
  trx: Kysely<Schema>,
  seal: Seal,
  userId: string,
  typed: string,
  now: Date,
): Promise<'app' | 'recovery' | null> {
  const plain = plainCode(typed)
  if (isRecoveryCode(plain)) {
    const used = await trx
      .deleteFrom('staff_recovery_codes')
      .where('code_hash', '=', recoveryHash(userId, plain))
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst()
    return used ? 'recovery' : null
  }
  // When two requests use the same code at the same moment, the second finds its step already used.
  const { totp_secret: sealed, totp_step: last } = await trx
    .selectFrom('staff_users')
    .select(['totp_secret', 'totp_step'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const secret = sealed && seal.open(userId, sealed)
  const step = secret ? stepOf(secret, plain, now) : null
  if (secret === null || step === null || step <= last) return null
  // Sealed again with the newest secret, so that an old secret is not needed for good.
  await trx
    .updateTable('staff_users')
    .set({ totp_step: step, totp_secret: seal.close(userId, secret) })
    .where('user_id', '=', userId)
    .execute()
  return 'app'
}

/**
 * Replaces all recovery codes. Returns the new ones in the form in which they are shown once. They
 * have 80 random bits each; only hashes are stored.
 */
export async function makeRecoveryCodes(trx: Kysely<Schema>, userId: string): Promise<string[]> {
  const plain = Array.from({ length: recoveryCodes }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32.toLowerCase(),
  )
  await trx.deleteFrom('staff_recovery_codes').where('user_id', '=', userId).execute()
  await trx
    .insertInto('staff_recovery_codes')
    .values(plain.map(code => ({ code_hash: recoveryHash(userId, code), user_id: userId })))
    .execute()
  return plain.map(inGroups)
}

/** Removes the second factor and the recovery codes, so that sign-in asks for neither. */
export async function forgetSecondFactor(trx: Kysely<Schema>, userId: string): Promise<void> {
  await trx
    .updateTable('staff_users')
    .set({ totp_secret: null })
    .where('user_id', '=', userId)
    .execute()
  await trx.deleteFrom('staff_recovery_codes').where('user_id', '=', userId).execute()
}

const recoveryHash = (userId: string, plain: string): string => hashOf(`${userId} ${plain}`)
