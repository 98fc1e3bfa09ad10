/** One-time codes as authenticator apps make them (RFC 6238): six digits, a new one every half minute. */
export const codeDigits = 6,
  codePeriod = 30
/** Steps beside the present one whose codes are taken: clocks differ, and typing takes time. */
export const codeWindow = 1
export const recoveryCodes = 10

/** Where a sign-in stands that is not finished: it lacks a code, or the member has to set one up first. */
export const unfinished = ['code', 'set-up'] as const
export type Unfinished = (typeof unfinished)[number]

/** What a sign-in with the right password still needs. In production everybody has a second factor. */
export const stepAfterPassword = (
  hasSecondFactor: boolean,
  isProduction: boolean,
): Unfinished | null => (hasSecondFactor ? 'code' : isProduction ? 'set-up' : null)

/** A code as it is compared: people type spaces and hyphens, and capitals. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()
export const isAppCode = (plain: string): boolean => /^\d{6}$/.test(plain)
const recoveryForm = /^[a-z2-7]{16}$/
export const isRecoveryCode = (plain: string): boolean => recoveryForm.test(plain)
/** In groups of four, to be read and typed. */
export const inGroups = (plain: string): string => plain.replace(/(.{4})(?=.)/g, '$1-')

/** What is wrong with a code before it is compared with any. */
export function codeProblem(typed: string): string | null {
  const plain = plainCode(typed)
  if (plain === '') return 'Enter a code.'
  return isAppCode(plain) || isRecoveryCode(plain)
    ? null
    : 'A code has 6 digits; a recovery code has 16 letters and digits.'
}
export const wrongCode =
  'This code is not right, or was used before. Enter the one that your app shows now.'
