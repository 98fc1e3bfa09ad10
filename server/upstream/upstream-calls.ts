import { Compile, type Validator } from 'typebox/compile'
import { callPath } from '../../domain/api/call.ts'
import { contract, type CallName } from '../../domain/api/contract.ts'
import { staffContract, type StaffCallName } from '../../domain/staff/staff-contract.ts'
import { claimsOf } from './token-owner.ts'
import { refusal, UnexpectedAnswer } from './upstream-problem.ts'

/** The calls of merchants and of staff. The API decides by the token which of them are allowed. */
export const calls = { ...contract, ...staffContract }
export type AnyCallName = CallName | StaffCallName

/** What an input has besides its body goes into path and query. */
export type Values = {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: object
}

/**
 * Path and query of a call, as they are sent. `token` names the store's platform. Throws
 * `UpstreamProblem` 401 when a path needs a platform and the token names none: a new one does.
 */
export function pathOf(name: AnyCallName, { params = {}, query = {} }: Values, token = ''): string {
  const pattern = calls[name].path
  const platform = pattern.includes('{platform}') ? claimsOf(token).platform : ''
  if (platform === undefined) throw refusal(401, 'text/plain', 'The token names no platform.')
  const path = callPath(pattern, platform, params)
  const asked = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) asked.set(key, String(value))
  return asked.size > 0 ? `${path}?${asked}` : path
}

const validators = new Map<AnyCallName, Validator>()
/**
 * Parses an answer and checks it against the contract, so that views get what their types say.
 * Throws `UnexpectedAnswer` 502 with the answer; with its text when it is no JSON.
 */
export function read<T>(name: AnyCallName, text: string): T {
  let check = validators.get(name)
  if (!check) validators.set(name, (check = Compile(calls[name].response)))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnexpectedAnswer(name, text, String(error))
  }
  if (!check.Check(value)) throw new UnexpectedAnswer(name, value)
  return value as T
}
