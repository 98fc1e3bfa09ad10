import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { appLink } from '../app-link.ts'

export type RunningSinceOptions = { appOrigin: string; engineOrigin: string; appKey: string; appSecret: string }
type History = { statusHistory: { status: string; appliedOn: string }[] }

/** Since when each running test has run without a break, as the engine tells the shop's merchant. */
export async function runningSince(options: RunningSinceOptions, tests: readonly string[]): Promise<Record<string, Date>> {
  const { engineOrigin } = options
  const link = await appLink({ ...options, clock: () => new Date() }, '/', randomUUID())
  const { token } = await json<{ token: string }>(`${engineOrigin}/auth`, {
    method: 'POST',
    body: JSON.stringify({ idToken: link!.searchParams.get('id_token') }),
    headers: { 'content-type': 'application/json' },
  })
  return Object.fromEntries(
    await Promise.all(
      tests.map(async id => {
        const { statusHistory } = await json<History>(`${engineOrigin}/api/v0/tests/${id}`, { method: 'GET', headers: { authorization: `Bearer ${token}` } })
        return [id, new Date(statusHistory.findLast(change => change.status === 'Active')!.appliedOn)] as const
      }),
    ),
  )
}

async function json<T>(url: string, options: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }): Promise<T> {
  const response = await request(url, options)
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${new URL(url).pathname} answered ${response.statusCode}: ${text.slice(0, 200)}`)
  return JSON.parse(text) as T
}
