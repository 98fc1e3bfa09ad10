/** One-time codes of authenticator apps (RFC 6238): six digits, a new code every 30 seconds. */
export const codeDigits = 6,
  codePeriod = 30
/**
 * Number of steps before and after the present one whose codes are accepted, because clocks differ
 * and typing takes time.
 */
export const codeWindow = 1
export const recoveryCodes = 10

/** What an unfinished sign-in needs: a code, or the set-up of a second factor. */
export const unfinished = ['code', 'set-up'] as const
export type Unfinished = (typeof unfinished)[number]

/**
 * What a sign-in with the right password still needs; null for nothing. In production every member
 * must have a second factor.
 */
export const stepAfterPassword = (
  hasSecondFactor: boolean,
  isProduction: boolean,
): Unfinished | null => (hasSecondFactor ? 'code' : isProduction ? 'set-up' : null)

/** The form in which codes are compared: without spaces and hyphens, in lower case. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()
export const isAppCode = (plain: string): boolean => /^\d{6}$/.test(plain)
const recoveryForm = /^[a-z2-7]{16}$/
export const isRecoveryCode = (plain: string): boolean => recoveryForm.test(plain)
/** A recovery code in groups of four, which are easier to read and type. */
export const inGroups = (plain: string): string => plain.replace(/(.{4})(?=.)/g, '$1-')

/** What is wrong with the form of a typed code; null when nothing is. */
export function codeProblem(typed: string): string | null {
  const plain = plainCode(typed)
  if (plain === '') return 'Enter a code.'
  return isAppCode(plain) || isRecoveryCode(plain)
    ? null
    : 'A code has 6 digits; a recovery code has 16 letters and digits.'
}
export const wrongCode =
  'This code is not right, or was used before. Enter the one that your app shows now.'
