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

/** 160 random bits, as authenticator apps take them. */
export const newSecret = (): string => new Secret({ size: 20 }).base32
/** What a QR code says of it. */
export const secretAddress = (secret: string, email: string): string =>
  totpOf(secret, email).toString()

/** The step whose code this is, of those whose codes are taken now; null for no such code. */
export function stepOf(secret: string, typed: string, now: Date): number | null {
  const token = plainCode(typed)
  const delta = isAppCode(token)
    ? totpOf(secret).validate({ token, timestamp: now.getTime(), window: codeWindow })
    : null
  return delta === null ? null : Math.floor(now.getTime() / 1000 / codePeriod) + delta
}

/** Which kind of code this is of the member's own, who has used it up now; null when it is none. */
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
  // Of two that come with one code at a moment, the second finds its step taken.
  const { totp_secret: sealed, totp_step: last } = await trx
    .selectFrom('staff_users')
    .select(['totp_secret', 'totp_step'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const secret = sealed && seal.open(userId, sealed)
  const step = secret ? stepOf(secret, plain, now) : null
  if (secret === null || step === null || step <= last) return null
  // Sealed again, so that a secret that left the ring's front is not needed for good.
  await trx
    .updateTable('staff_users')
    .set({ totp_step: step, totp_secret: seal.close(userId, secret) })
    .where('user_id', '=', userId)
    .execute()
  return 'app'
}

/** New ones in place of all there were, as they are shown once. Only hashes are stored; 80 random bits each. */
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

/** Neither codes nor recovery codes are asked for any more. */
export async function forgetSecondFactor(trx: Kysely<Schema>, userId: string): Promise<void> {
  await trx
    .updateTable('staff_users')
    .set({ totp_secret: null })
    .where('user_id', '=', userId)
    .execute()
  await trx.deleteFrom('staff_recovery_codes').where('user_id', '=', userId).execute()
}

const recoveryHash = (userId: string, plain: string): string => hashOf(`${userId} ${plain}`)
