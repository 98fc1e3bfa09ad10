import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type {
  StaffCallName,
  StaffInput,
  StaffOutput,
} from '../../../domain/staff/staff-contract.ts'
import { staffContract } from '../../../domain/staff/staff-contract.ts'
import { type Call, callPath } from '../../../domain/api/call.ts'
import type { Problem } from '../../../domain/problem.ts'
import type { Engine } from '../../../engine/app.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { Refused } from '../../engine/support/engine.ts'
import { type Merchant, startMerchant } from './merchant.ts'

const origin = 'http://localhost:3000'

/**
 * A staff member's requests, sent as a browser would, to the app and engine of a merchant's test.
 */
export type Staff = {
  userId: string
  token: string
  get: (path: string, over?: InjectOptions) => Promise<LightMyRequestResponse>
  /** Posts a form as a page of the app does. */
  post: (
    path: string,
    fields?: Record<string, string>,
    over?: InjectOptions,
  ) => Promise<LightMyRequestResponse>
  /** Calls the engine's API as the same member. Throws `Refused` when the engine refuses. */
  call: <N extends StaffCallName>(
    name: N,
    input: StaffInput<N>,
    token?: string,
  ) => Promise<StaffOutput<N>>
}

/** Starts the app with an engine and a small shop, and signs a merchant and a staff member in. */
export async function startStaff(): Promise<{
  merchant: Merchant
  staff: Staff
  close: () => Promise<void>
}> {
  const merchant = await startMerchant()
  return { merchant, staff: await signInStaff(merchant), close: merchant.close }
}

/** Signs a member in as the sign-in page does, by default the demo member. */
export async function signInStaff(
  merchant: Merchant,
  member: { email: string; password: string } = developmentStaff,
): Promise<Staff> {
  await merchant.engine.engine.samples.staff()
  const browser = browserOf(merchant)
  const entry = await browser.post('/login', { email: member.email, password: member.password })
  if (entry.statusCode !== 303) throw new Error(`Signing in was answered ${entry.statusCode}.`)
  const token = browser.jar.get('twinshelf_staff')!
  const call = staffCaller(merchant, token)
  return {
    userId: (await call('staffMe', {})).id,
    token,
    get: browser.get,
    post: browser.post,
    call,
  }
}

/** Sends requests as a browser does: keeps cookies and posts forms like our pages. */
export function browserOf({
  app,
}: Merchant): Pick<Staff, 'get' | 'post'> & { jar: Map<string, string> } {
  const jar = new Map<string, string>()
  const send = async (options: InjectOptions) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await app.app.inject({
      ...options,
      headers: { cookie, host: 'localhost:3000', ...options.headers },
    })
    for (const { name, value } of response.cookies) {
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  return {
    jar,
    get: (path, over = {}) => send({ url: path, ...over }),
    post: (path, fields = {}, over = {}) =>
      send({
        url: path,
        method: 'POST',
        payload: new URLSearchParams(fields).toString(),
        ...over,
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...over.headers },
      }),
  }
}

/** Calls the staff contract by Fastify's inject(). */
export function staffCaller(
  { engine }: { engine: { engine: Pick<Engine, 'app'> } },
  ownToken = '',
): Staff['call'] {
  return async (name, input, token = ownToken) => {
    const call: Call = staffContract[name]
    const {
      params = {},
      query = {},
      body,
    } = input as { params?: Record<string, string>; query?: Record<string, unknown>; body?: object }
    const response = await engine.engine.app.inject({
      method: call.method,
      url: callPath(call.path, 'demo', params),
      query: Object.fromEntries(
        Object.entries(query)
          .filter(([, value]) => value !== undefined)
          .map(([key, value]) => [key, String(value)]),
      ),
      ...(body && { payload: body }),
      headers: call.token === false ? {} : { authorization: `Bearer ${token}` },
    })
    if (response.statusCode !== 200)
      throw new Refused(response.statusCode, response.json<Problem>())
    return response.json()
  }
}
