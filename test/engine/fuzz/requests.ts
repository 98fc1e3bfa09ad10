import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { Compile } from 'typebox/compile'
import { type Call, callPath } from '../../../domain/api/call.ts'
import { type CallName, contract } from '../../../domain/api/contract.ts'
import { type StaffCallName, staffContract } from '../../../domain/staff/staff-contract.ts'
import type { Problem } from '../../../domain/problem.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { fc } from '../../properties.ts'
import { bent, fitting, type Schema } from './arbitraries.ts'

/**
 * How many requests of each call are tried: here enough to find simple mistakes, in `npm run soak`
 * a thousand.
 */
export const requestsPerCall = Number(process.env['FUZZ_REQUESTS'] ?? 25)

export type Request = {
  params: Record<string, string>
  query: Record<string, unknown> | null
  body: unknown
  isBroken: boolean
}

/**
 * Requests of a call; about half have a broken query or body. `ids`: existing ids, which are mixed
 * with ids that do not exist.
 */
export function requests(call: Call, ids: string[]): fc.Arbitrary<Request> {
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...ids) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.uuid(),
        fc.constantFrom(
          'x',
          '0',
          '..',
          '%2e%2e',
          "'",
          'null',
          '\0',
          'a\0b',
          '00000000-0000-0000-0000-000000000000',
        ),
        fc.string({ minLength: 1, maxLength: 64 }),
      ),
    },
  )
  const params = fc.record(
    Object.fromEntries(
      Object.entries((call.params as Schema | undefined)?.properties ?? {}).map(
        ([name, schema]) => [
          name,
          /id|^[ab]$/i.test(name)
            ? id
            : fc.oneof(
                fitting(schema) as fc.Arbitrary<string>,
                fc.string({ minLength: 1, maxLength: 40 }),
                fc.constant('\0'),
              ),
        ],
      ),
    ),
  )
  const query = call.query ? fitting(call.query as Schema) : fc.constant(null)
  const body = call.body ? fitting(call.body as Schema) : fc.constant(undefined)
  return fc
    .boolean()
    .chain(isBent =>
      fc.record({
        params,
        query: (isBent && call.query && !call.body ? bent(query) : query) as fc.Arbitrary<
          Request['query']
        >,
        body: isBent && call.body ? bent(body) : body,
      }),
    )
    .map(request => ({ ...request, isBroken: isBroken(call, request) }))
}

const checks = new Map<object, { Check: (value: unknown) => boolean }>()
function isBroken(call: Call, { body }: { body: unknown }): boolean {
  if (!call.body) return false
  let check = checks.get(call.body)
  if (!check) checks.set(call.body, (check = Compile(call.body)))
  return !check.Check(body === undefined ? undefined : JSON.parse(JSON.stringify(body)))
}

type Inject = (request: {
  method: Call['method']
  url: string
  payload?: string
  headers: Record<string, string>
}) => Promise<LightMyRequestResponse>
export function send(
  inject: Inject,
  name: CallName | StaffCallName,
  { params, query, body }: Request,
  token: string,
): Promise<LightMyRequestResponse> {
  const call: Call = { ...contract, ...staffContract }[name]
  const search =
    query && typeof query === 'object'
      ? new URLSearchParams(
          Object.entries(query).map(([key, value]) => [
            key,
            typeof value === 'object' ? JSON.stringify(value) : String(value),
          ]),
        )
      : null
  return inject({
    method: call.method,
    url: `${callPath(call.path, 'demo', params)}${search?.size ? `?${search}` : ''}`,
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(call.token !== false && { authorization: `Bearer ${token}` }),
    },
  })
}

/** What is wrong with an answer to a fuzzed request; null when it follows the contract. */
export function fault(
  call: Call,
  { isBroken }: Request,
  { statusCode, headers, body }: LightMyRequestResponse,
): string | null {
  // 503 means not configured, 502 that the shop itself refuses. Any other status from 500 up is a
  // fault.
  const isAllowed = statusCode < 500 || statusCode === 502 || statusCode === 503
  if (!isAllowed) return `answered ${statusCode}: ${body.slice(0, 300)}`
  if (statusCode < 400) return isBroken ? `took a broken body (${statusCode})` : null
  if (call.none?.includes(statusCode)) return null
  if (!String(headers['content-type']).startsWith('application/json'))
    return `refused with ${statusCode} in ${String(headers['content-type'])}`
  const problem = JSON.parse(body) as Problem
  // The JSON parser refuses a body with __proto__ before there are fields to name.
  const isUnread = problem.message.startsWith('Body is not valid JSON')
  if (
    isBroken &&
    statusCode === 400 &&
    !isUnread &&
    !problem.fields?.every(({ field, message }) => typeof field === 'string' && message)
  )
    return `does not name the field: ${body.slice(0, 300)}`
  if (typeof problem.message !== 'string' || !problem.message)
    return `refused with ${statusCode} and no message`
  if (/\bat [\w.]+ \(|node_modules|select .* from/i.test(problem.message))
    return `leaks: ${problem.message}`
  return null
}

// Tables that jobs change on their own, or that only record what was answered.
const moving = [
  'refresh_tokens',
  'download_links',
  'jobs',
  'test_summaries',
  'published_scripts',
  'migrations',
  'webhook_deliveries',
  'staff_sessions',
  'staff_attempts',
]
/** One hash per table of everything stored, except the tables above. */
export async function fingerprint(db: Db): Promise<string> {
  const { rows: tables } = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(
    db.kysely,
  )
  const parts: string[] = []
  for (const { name } of tables.filter(({ name }) => !moving.includes(name))) {
    const {
      rows: [row],
    } = await sql<{
      hash: string | null
    }>`select md5(string_agg(md5(r::text), '' order by md5(r::text))) as hash from ${sql.table(name)} r`.execute(
      db.kysely,
    )
    parts.push(`${name} ${row!.hash ?? '-'}`)
  }
  return parts.join('\n')
}
