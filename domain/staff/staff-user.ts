import { isEmail } from '../plans/lead.ts'
import type { FieldProblem } from '../problem.ts'
import type { StaffUser } from '../staff-calls/users.ts'

/** Minimum and maximum length of a password, in characters. Any characters are allowed. */
export const passwordLength = { least: 12, most: 1024 } as const
/** Minutes for which a mailed link to set a password works. */
export const linkMinutes = 30

/** The form in which addresses are stored and compared: trimmed, in lower case. */
export const plainEmail = (email: string): string => email.trim().toLowerCase()

export function staffUserProblems({
  email,
  name,
}: {
  email: string
  name: string
}): FieldProblem[] {
  return [...emailProblems(email), ...nameProblems(name)]
}

export function emailProblems(email: string): FieldProblem[] {
  const given = email.trim()
  if (given === '') return [{ field: 'email', message: 'Enter an e-mail address.' }]
  return isEmail(given) && given.length <= 320
    ? []
    : [{ field: 'email', message: 'This is not an e-mail address.' }]
}

export function nameProblems(name: string): FieldProblem[] {
  const given = name.trim()
  if (given === '') return [{ field: 'name', message: 'Enter a name.' }]
  return given.length <= 100 ? [] : [{ field: 'name', message: 'Use at most 100 characters.' }]
}

/** What is wrong with a new password. `email`: the member's address. */
export function passwordProblems(password: string, email: string): FieldProblem[] {
  const length = [...password].length
  const refuse = (message: string) => [{ field: 'password', message }]
  if (length < passwordLength.least)
    return refuse(`Use at least ${passwordLength.least} characters.`)
  if (length > passwordLength.most) return refuse(`Use at most ${passwordLength.most} characters.`)
  return isGuessable(password.toLowerCase(), plainEmail(email))
    ? refuse('This password is easy to guess. Choose another.')
    : []
}

function isGuessable(password: string, email: string): boolean {
  const bare = password.replace(/[^\p{L}]/gu, '')
  // The first pattern: one character or short word repeated. `runs`: neighbouring keys.
  return (
    /^(.{1,4}?)\1+.?$/u.test(password) ||
    commonest.has(password) ||
    commonWords.has(bare) ||
    password === email ||
    bare === email.split('@')[0] ||
    [...runs].some(run => run.includes(password))
  )
}
const runs = [
  '01234567890123456789012345678901234567890',
  '98765432109876543210987654321098765432109',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
]
/**
 * The most common passwords in public lists of leaked ones that are long enough for our minimum.
 */
const commonest = new Set([
  'unbelievable',
  'administrator',
  'changemeplease',
  'iloveyouforever',
  'correcthorsebatterystaple',
  'passwordpassword',
  'letmeinletmein',
  'adminadminadmin',
  'welcomewelcome',
  'trustno1trustno1',
  'q1w2e3r4t5y6',
  '1234qwerasdf',
  '1234qwerasdfzxcv',
  'qwer1234asdf',
  'qwerty123456',
  '123456qwerty',
  'qwertyuiop123',
  'abc123abc123',
  'abcd1234abcd',
  'p@ssw0rd1234',
  'passw0rd1234',
  'p@ssword1234',
])
/** Words that are refused with any digits and signs around them. */
const commonWords = new Set([
  'password',
  'passwort',
  'motdepasse',
  'contrasena',
  'welcome',
  'letmein',
  'iloveyou',
  'admin',
  'administrator',
  'changeme',
  'qwerty',
  'twinshelf',
  'twinshelfstaff',
  'superman',
  'football',
  'baseball',
  'princess',
  'sunshine',
  'dragon',
  'monkey',
  'master',
  'michael',
])

export type StaffState = 'active' | 'invited' | 'disabled'
export const staffState = ({ disabled, invited }: StaffUser): StaffState =>
  disabled ? 'disabled' : invited ? 'invited' : 'active'
