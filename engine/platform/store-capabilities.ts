import { setTimeout } from 'node:timers/promises'
import { type Capabilities, richest } from '../../domain/platform/capabilities.ts'
import {
  kindLack,
  type Lack,
  lackOf,
  lackWords,
  type NeedName,
} from '../../domain/platform/kind-needs.ts'
import { HttpProblem, VendorProblem } from '../../domain/problem.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { Db } from '../db/connection.ts'
import type { Platform } from './adapter.ts'

/**
 * In milliseconds: how long an answer is kept, and how long a caller waits for the first one, or
 * for a newer one.
 */
const keptFor = 10_000,
  firstTimeout = 2_000,
  timeout = 500

/**
 * The platform with answers about capabilities that are at most ten seconds old, so that pages may
 * ask for them freely. While the shop does not answer, the last answer stays; of a shop that never
 * answered, nothing is said to be lacking. So a launch and an application ask with `isFresh`, which
 * throws as the platform does.
 */
export function keepingCapabilities(platform: Platform): Platform {
  const known = new Map<string, { until: number; answer: Promise<Capabilities> }>()
  const last = new Map<string, { asked: number; capabilities: Capabilities }>()
  let asks = 0
  const ask = (shop: string): Promise<Capabilities> => {
    const asked = ++asks
    return platform.capabilities(shop).then(capabilities => {
      // An answer that was late must not replace that of a later question.
      if ((last.get(shop)?.asked ?? 0) > asked) return capabilities
      last.set(shop, { asked, capabilities })
      known.set(shop, {
        until: performance.now() + keptFor,
        answer: Promise.resolve(capabilities),
      })
      return capabilities
    })
  }
  return {
    ...platform,
    capabilities: (shop, { isFresh = false } = {}) => {
      if (isFresh) return ask(shop)
      const old = known.get(shop)
      if (old && performance.now() < old.until) return old.answer
      for (const [one, { until }] of known) if (performance.now() >= until) known.delete(one)
      const instead = () => last.get(shop)?.capabilities ?? richest
      const answer = Promise.race([
        ask(shop).catch(instead),
        setTimeout(last.has(shop) ? timeout : firstTimeout, undefined, { ref: false }).then(
          instead,
        ),
      ])
      known.set(shop, { until: performance.now() + keptFor, answer })
      return answer
    },
  }
}

type Asking = { db: Pick<Db, 'kysely'>; platform: Platform }
/**
 * What a store can do. `isFresh`: as its shop says now; while the shop does not answer, what it
 * said last, because a shop that is down must not stop a launch.
 */
export async function capabilitiesOf(
  { db, platform }: Asking,
  storeId: string,
  options?: { isFresh?: boolean },
): Promise<Capabilities> {
  const { shop } = await db.kysely
    .selectFrom('stores')
    .select('shop')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  return platform.capabilities(shop, options).catch((error: unknown) => {
    if (error instanceof VendorProblem) return platform.capabilities(shop)
    throw error
  })
}

/** Throws HttpProblem 409 when the store cannot run tests of this kind. */
export async function requirePossible(
  context: Asking,
  storeId: string,
  kind: TestKind,
  options?: { isFresh?: boolean },
): Promise<void> {
  refuseFor(kindLack(kind, await capabilitiesOf(context, storeId, options)))
}

/** Throws HttpProblem 409 when the shop lacks what an act needs. */
export async function requireNeed(
  { platform }: Pick<Asking, 'platform'>,
  shop: string,
  need: NeedName,
): Promise<void> {
  refuseFor(lackOf(need, await platform.capabilities(shop)))
}

/** Throws HttpProblem 409 for what is lacking. */
export function refuseFor(lack: Lack | null): void {
  if (lack) throw new HttpProblem(409, lackWords(lack))
}
