import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Platform } from '../platform/adapter.ts'
import { PartialWrite } from '../platform/partial-write.ts'
import { type ChangeParts, type Made, shopOf } from './journal-changes.ts'
import {
  type For,
  type Journal,
  type Kept,
  type RefusedPlan,
  StepRefused,
} from './journal-contract.ts'
import { type Plan, planRows } from './plan-rows.ts'
import { isRefusal, journalKinds } from './journal-kinds.ts'
import { type Page, pagesOf } from './journal-steps.ts'

type Row = Selectable<JournalTable>

export type PlanOptions = {
  db: Db
  platform: Platform
  clock: () => Date
  parts: ChangeParts
  restore: Journal['restore']
  /** Queues the job that looks after a plan whose process died. Tests may leave it out. */
  jobs?: Pick<Jobs, 'add' | 'cancel'> | undefined
}

/** Makes changes of several steps: all of them, or none. */
export function startPlans({ db, platform, clock, parts, restore, jobs }: PlanOptions) {
  const { kysely } = db
  const rows = planRows({ db, clock, jobs })

  /**
   * Records the steps and makes them. A change that fits into one whole write of the shop needs no
   * plan. `from`: only if the shop still holds that value.
   */
  async function make(of: For, steps: Parameters<typeof pagesOf>[0], from?: string): Promise<void> {
    const { storeId, testId } = of
    const shop = await shopOf(kysely, storeId)
    if (testId !== null)
      for (const plan of await rows.of(storeId, testId)) {
        const refused = await carryOn(storeId, shop, plan)
        if (refused) throw refused
      }
    const planId = randomUUID()
    let first: { kind: Row['kind']; made: Made[] } | null = null
    let isPlan = false
    try {
      for await (const { kind, changes } of pagesOf(steps)) {
        const made = await parts.differing(shop, kind, changes, from)
        if (made.length === 0) continue
        if (!first) {
          first = { kind, made }
          continue
        }
        if (!isPlan) {
          await parts.record(of, first.kind, first.made, planId, trx => rows.begin(trx, of, planId))
          isPlan = true
        }
        await parts.record(of, kind, made, planId, async trx => {
          await rows.holdIn(trx, storeId, planId)
        })
      }
    } catch (error) {
      // Nothing was made yet.
      if (isPlan) await rows.end(storeId, planId, 'all')
      throw error
    }
    if (!first) return
    if (!isPlan && (await isOneStep(shop, first))) {
      await parts.makeOnce(of, shop, first.kind, first.made)
      return
    }
    if (!isPlan)
      await parts.record(of, first.kind, first.made, planId, trx => rows.begin(trx, of, planId))
    const refused = await carryOn(storeId, shop, {
      plan_id: planId,
      state: 'running',
      refusal: null,
    })
    if (refused) throw refused
  }

  const isOneStep = async (shop: string, { made }: Pick<Page, 'kind'> & { made: Made[] }) =>
    made.length === 1 || (await platform.capabilities(shop)).wholeWrites

  /**
   * Makes the steps that are not made yet. After a refusal, undoes those that were made, in
   * reverse, and returns what happened. Throws when the shop does not answer: then the plan stays.
   */
  async function carryOn(storeId: string, shop: string, plan: Plan): Promise<StepRefused | null> {
    const { plan_id: planId } = plan
    if (plan.state === 'undoing') return undo(storeId, planId, 422, plan.refusal ?? '')
    for (const { batch_id } of await rows.batches(storeId, planId)) {
      if (!(await rows.hold(storeId, planId)))
        throw new HttpProblem(409, 'This change was undone while it was being made.')
      const step = await kysely
        .selectFrom('journal')
        .selectAll()
        .where('store_id', '=', storeId)
        .where('batch_id', '=', batch_id)
        .where('state', '=', 'open')
        .orderBy('seq')
        .execute()
      if (step.length === 0) continue
      let isTried = false
      try {
        const left = await leftOf(shop, step)
        isTried = true
        if (left.length > 0) await parts.write(storeId, shop, step[0]!.kind, left)
      } catch (error) {
        if (!isRefusal(error)) throw error
        // Steps that were not tried have changed nothing: what stands there is not ours.
        await rows.forgetFrom(storeId, planId, step[0]!.seq, isTried ? batch_id : null)
        const words = refusalOf(error, step)
        await rows.refuse(storeId, planId, words)
        return undo(storeId, planId, error.status, words)
      }
      await parts.setMade(storeId, batch_id)
    }
    await rows.end(storeId, planId, 'none')
    return null
  }

  /**
   * The changes of a step that the shop does not hold yet. Throws HttpProblem 404 or 409 when
   * somebody else has changed a place since it was recorded.
   */
  async function leftOf(shop: string, rows: readonly Row[]) {
    const found = await journalKinds[rows[0]!.kind].look(
      platform,
      shop,
      rows.map(row => row.place),
    )
    return rows.flatMap(({ place, before, after }, i) => {
      const { value, what } = found[i]!
      if (value === after) return []
      if (value === undefined) throw new HttpProblem(404, `${what}: it is no longer in the shop.`)
      if (value !== before)
        throw new HttpProblem(409, `${what}: it was changed in the shop meanwhile.`)
      return [{ place, value: after }]
    })
  }

  async function undo(
    storeId: string,
    planId: string,
    status: number,
    words: string,
  ): Promise<StepRefused> {
    let kept: Kept[]
    try {
      ;({ kept } = await restore(storeId, { plan: planId }))
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status < 500) throw error
      // The job that looks after the plan continues.
      await rows.leave(storeId, planId)
      return new StepRefused(
        status,
        `${words} What was done before is put back as soon as the shop answers.`,
        [],
      )
    }
    await rows.end(storeId, planId, 'undone')
    const notUndone = [...new Set(kept.map(({ what }) => what))]
    return new StepRefused(
      status,
      notUndone.length === 0
        ? `${words} What was done before was put back.`
        : `${words} What was done before was put back, except: ${notUndone.join('; ')}.`,
      notUndone,
    )
  }

  async function resume(storeId: string): Promise<RefusedPlan[]> {
    const plans = await rows.left(storeId)
    if (plans.length === 0) return []
    const shop = await shopOf(kysely, storeId)
    const all: RefusedPlan[] = []
    for (const plan of plans) {
      const refused = await carryOn(storeId, shop, plan)
      if (refused)
        all.push({
          testId: plan.test_id,
          message: refused.message,
          notUndone: refused.notUndone,
        })
    }
    return all
  }

  return { make, resume }
}

/** What the shop refused and why, with the names that the merchant knows. */
function refusalOf(error: HttpProblem, rows: readonly Row[]): string {
  if (!(error instanceof PartialWrite)) return ended(error.message)
  return error.failed
    .map(({ item, message }) => {
      const row = rows.find(({ place }) => place.at(-1) === item)
      return ended(`${row?.what ?? item}: ${message}`)
    })
    .join(' ')
}

const ended = (words: string): string => (/[.?]$/.test(words) ? words : `${words}.`)
