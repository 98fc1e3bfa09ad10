import { isDeepStrictEqual } from 'node:util'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Platform } from '../platform/adapter.ts'

/** A test of which the shop does not take something, and its words. */
export type Refused = { id: string; message: string }

/** Rules, and of those that the shop holds the ones of other tests. */
export const joinedRules = (
  rules: readonly PriceRuleSet[],
  held: readonly PriceRuleSet[],
): PriceRuleSet[] => [...rules, ...held.filter(old => !rules.some(({ id }) => id === old.id))]

/** Those of the rules that the shop holds just so. */
export const chargedAlready = (
  rules: readonly PriceRuleSet[],
  held: readonly PriceRuleSet[],
): PriceRuleSet[] => rules.filter(rule => held.some(old => isDeepStrictEqual(old, rule)))

/** Whether the shop holds rules of tests that are not to be charged any more. */
export const doGoAway = (rules: readonly PriceRuleSet[], held: readonly PriceRuleSet[]): boolean =>
  held.some(old => !rules.some(({ id }) => id === old.id))

/**
 * Has the shop charge by these rules besides those that it holds. One that it refuses keeps no other from being charged:
 * then each is asked for by itself, and what is held already stays in force all the while. Answers the refused; crowded
 * when it takes not all of them while it holds rules that are to go away: those may be what is too much, so nothing is
 * said of any rule before they are off. Throws what says nothing of a rule: a shop that is not reached.
 */
export async function addPriceRules(
  platform: Pick<Platform, 'setPriceRules'>,
  shop: string,
  rules: readonly PriceRuleSet[],
  held: readonly PriceRuleSet[],
): Promise<{ refused: Refused[]; isCrowded: boolean }> {
  const already = chargedAlready(rules, held),
    added = rules.filter(rule => !already.includes(rule))
  if (added.length === 0) return { refused: [], isCrowded: false }
  const all = await refusalOf(platform.setPriceRules(shop, joinedRules(rules, held)))
  if (all === null) return { refused: [], isCrowded: false }
  if (doGoAway(rules, held)) return { refused: [], isCrowded: true }
  if (added.length === 1) return { refused: [{ id: added[0]!.id, message: all }], isCrowded: false }
  const refused: Refused[] = []
  let taken = [...held]
  for (const rule of added) {
    const next = joinedRules([rule], taken)
    const message = await refusalOf(platform.setPriceRules(shop, next))
    if (message === null) taken = next
    else refused.push({ id: rule.id, message })
  }
  return { refused, isCrowded: false }
}

/** Statuses that are about what was said, and not about whom it was said to. */
const notTaken = [400, 413, 422]
/** Whether the shop refuses what it was told, and would refuse it again. */
export const isRefusal = (error: unknown): error is HttpProblem =>
  error instanceof HttpProblem && notTaken.includes(error.status)

async function refusalOf(asked: Promise<void>): Promise<string | null> {
  try {
    await asked
    return null
  } catch (error) {
    if (isRefusal(error)) return error.message
    throw error
  }
}
