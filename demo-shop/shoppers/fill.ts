import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import type { CallName, Input, Output } from '../../domain/contract.ts'
import { type Call, contract } from '../../domain/contract.ts'
import { appLink, type AppLinkOptions } from '../app-link.ts'
import { demoPhases, type DemoTest } from './demo-tests.ts'
import { runShoppers } from './run.ts'

export type FillOptions = Omit<AppLinkOptions, 'clock'> & {
  shopOrigin: string
  engineOrigin: string
  /** Sets the engine's clock; null for the real time. */
  setClock: (at: Date | null) => void
  /** Brings the engine's reports up to date. */
  rollUp: () => Promise<void>
  /** Settles when the shop has delivered every order. */
  delivered: () => Promise<void>
  onProgress: (done: number, total: number) => void
}

/**
 * Gives the demo shop a past: its merchant launches and ends tests through the engine's own API while the clock walks
 * from a month ago to now, and shoppers come in between. Answers false, and does nothing, when the store has tests.
 */
export async function fillDemoShop({ shopOrigin, engineOrigin, setClock, rollUp, delivered, onProgress, ...link }: FillOptions): Promise<boolean> {
  const phases = demoPhases(new Date())
  const total = phases.reduce((sum, phase) => sum + phase.visitors, 0)
  const launched = new Map<DemoTest, string>()
  try {
    setClock(phases[0]!.from)
    const { counts } = await (await asMerchant(engineOrigin, link))('tests', { query: {} })
    if (Object.values(counts).some(count => count > 0)) return false
    let done = 0
    for (const { from, to, launch, end, visitors } of phases) {
      setClock(from)
      const call = await asMerchant(engineOrigin, link)
      for (const test of end) await call('updateTest', { params: { id: launched.get(test)! }, body: { status: 'Ended' } })
      for (const test of launch) launched.set(test, await launchTest(call, test))
      const lift = Object.fromEntries([...launched].map(([test, id]) => [id, test.lift]))
      await runShoppers({
        shopOrigin, appSecret: link.appSecret, visitors, lift, seed: `demo ${done}`, span: { from, to }, isEven: true, collect: `${engineOrigin}/collect`,
      }, progress => onProgress(done + progress.done, total))
      done += visitors
      await delivered()
      setClock(to)
      await rollUp()
    }
    return true
  } finally {
    setClock(null)
  }
}

type Caller = <N extends CallName>(name: N, input: Input<N>) => Promise<Output<N>>

async function launchTest(call: Caller, { draft, domSelectors }: DemoTest): Promise<string> {
  const { id, hypotheses } = await call('createDraft', { body: draft })
  const variant = hypotheses.find(({ arm }) => arm === 'variant')!
  if (domSelectors.length > 0) await call('setDomSelectors', { params: { id: variant.id }, body: { domSelectors: domSelectors.map(one => ({ id: randomUUID(), ...one })) } })
  return (await call('launchDraft', { params: { id } })).testId
}

/** The engine's API as the shop's merchant, who has just opened the app from the shop's admin. */
async function asMerchant(engineOrigin: string, link: Omit<AppLinkOptions, 'clock'>): Promise<Caller> {
  const opened = await appLink({ ...link, clock: () => new Date() }, '/', randomUUID())
  let token: string | null = null
  const call: Caller = async (name, input) => {
    const { method, path }: Call = contract[name]
    const { params = {}, body } = input as { params?: Record<string, string>; body?: object }
    const response = await request(engineOrigin + path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? '')), {
      method, headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) }, body: body ? JSON.stringify(body) : null,
    })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${name} was answered ${response.statusCode}: ${text.slice(0, 300)}`)
    return JSON.parse(text) as Output<typeof name>
  }
  token = (await call('auth', { body: { idToken: opened!.searchParams.get('id_token')! } })).token
  return call
}
