import { randomUUID } from 'node:crypto'
import { demoPhases, type DemoTest } from './demo-tests.ts'
import { asMerchant, type MerchantCall, type MerchantOptions } from './merchant.ts'
import { runShoppers } from './run.ts'
import { openSender } from './sender.ts'
import { subscribeEarlier } from './subscribers.ts'

export type FillOptions = MerchantOptions & {
  shopOrigin: string
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
export async function fillDemoShop({ shopOrigin, setClock, rollUp, delivered, onProgress, ...merchant }: FillOptions): Promise<boolean> {
  const phases = demoPhases(new Date())
  const total = phases.reduce((sum, phase) => sum + phase.visitors, 0)
  const launched = new Map<DemoTest, string>()
  const sender = openSender({ shopOrigin, collect: '', appSecret: merchant.appSecret, isPast: true, connections: 4, patience: 120_000 })
  try {
    setClock(phases[0]!.from)
    const { counts } = await (await asMerchant(merchant))('tests', { query: {} })
    if (Object.values(counts).some(count => count > 0)) return false
    await subscribeEarlier(sender, phases[0]!.from)
    let done = 0
    for (const { from, to, launch, end, visitors } of phases) {
      setClock(from)
      const call = await asMerchant(merchant)
      for (const test of end) await call('updateTest', { params: { id: launched.get(test)! }, body: { status: 'Ended' } })
      for (const test of launch) launched.set(test, await launchTest(call, test))
      const lift = Object.fromEntries([...launched].map(([test, id]) => [id, test.lift]))
      await runShoppers(
        {
          shopOrigin,
          appSecret: merchant.appSecret,
          visitors,
          lift,
          seed: `demo ${done}`,
          span: { from, to },
          isEven: true,
          collect: `${merchant.engineOrigin}/collect`,
        },
        progress => onProgress(done + progress.done, total),
      )
      done += visitors
      // The shop renews subscriptions by its own clock, which stands at now; each is dated when it fell due.
      if (to === phases.at(-1)!.to) await sender.renew()
      await delivered()
      setClock(to)
      await rollUp()
    }
    return true
  } finally {
    setClock(null)
    await sender.close()
  }
}

async function launchTest(call: MerchantCall, { draft, domSelectors }: DemoTest): Promise<string> {
  const { id, hypotheses } = await call('createDraft', { body: draft })
  const variant = hypotheses.find(({ arm }) => arm === 'variant')!
  if (domSelectors.length > 0) await call('setDomSelectors', { params: { id: variant.id }, body: { domSelectors: domSelectors.map(one => ({ id: randomUUID(), ...one })) } })
  return (await call('launchDraft', { params: { id } })).testId
}
