import { randomUUID } from 'node:crypto'
import { contract, type CallName, type Input, type Output } from '../../domain/api/contract.ts'
import { appLink, type AppLinkOptions } from '../admin/app-link.ts'
import { askApi } from './api-call.ts'

export type MerchantCall = <N extends CallName>(name: N, input: Input<N>) => Promise<Output<N>>
export type MerchantOptions = Omit<AppLinkOptions, 'clock'> & { engineOrigin: string }

/**
 * Calls the engine's API as the shop's merchant, who has just opened the app from the shop's admin.
 */
export async function asMerchant({
  engineOrigin,
  ...link
}: MerchantOptions): Promise<MerchantCall> {
  const opened = await appLink({ ...link, clock: () => new Date() }, '/', randomUUID())
  let token: string | null = null
  const call: MerchantCall = async (name, input) =>
    (await askApi(engineOrigin, name, contract[name], input, token)) as Output<typeof name>
  token = (await call('auth', { body: { idToken: opened!.searchParams.get('id_token')! } })).token
  return call
}
