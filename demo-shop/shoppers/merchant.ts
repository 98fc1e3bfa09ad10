import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import type { CallName, Input, Output } from '../../domain/contract.ts'
import { type Call, callPath } from '../../domain/call.ts'
import { contract } from '../../domain/contract.ts'
import { appLink, type AppLinkOptions } from '../app-link.ts'

export type MerchantCall = <N extends CallName>(name: N, input: Input<N>) => Promise<Output<N>>
export type MerchantOptions = Omit<AppLinkOptions, 'clock'> & { engineOrigin: string }

/** The engine's API as the shop's merchant, who has just opened the app from the shop's admin. */
export async function asMerchant({ engineOrigin, ...link }: MerchantOptions): Promise<MerchantCall> {
  const opened = await appLink({ ...link, clock: () => new Date() }, '/', randomUUID())
  let token: string | null = null
  const call: MerchantCall = async (name, input) => {
    const { method, path }: Call = contract[name]
    const { params = {}, body } = input as { params?: Record<string, string>; body?: object }
    const response = await request(engineOrigin + callPath(path, 'demo', params), {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${name} was answered ${response.statusCode}: ${text.slice(0, 300)}`)
    return JSON.parse(text) as Output<typeof name>
  }
  token = (await call('auth', { body: { idToken: opened!.searchParams.get('id_token')! } })).token
  return call
}
