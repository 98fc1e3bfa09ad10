import { isDeepStrictEqual } from 'node:util'
import type { PriceRuleSet } from '../domain/price-test.ts'
import { HttpProblem } from '../domain/problem.ts'
import type { Platform } from './platform/adapter.ts'

/** A price test whose rule the shop does not take, and what the shop says of it. */
export type RefusedRule = { id: string; message: string }

/** Rules, and of those that the shop holds the ones of other tests. */
export const joinedRules = (rules: readonly PriceRuleSet[], held: readonly PriceRuleSet[]): PriceRuleSet[] =>
  [...rules, ...held.filter(old => !rules.some(({ id }) => id === old.id))]

/**
 * Has the shop charge by these rules besides those that it holds. One that it refuses keeps no other from being charged:
 * then each is asked for by itself, and what is held already stays in force all the while. Answers the refused. Throws
 * what says nothing of a rule: a shop that is not reached.
 */
export async function addPriceRules(platform: Pick<Platform, 'setPriceRules'>, shop: string, rules: readonly PriceRuleSet[], held: readonly PriceRuleSet[]): Promise<RefusedRule[]> {
  const added = rules.filter(rule => !held.some(old => isDeepStrictEqual(old, rule)))
  if (added.length === 0) return []
  const all = await refusalOf(platform.setPriceRules(shop, joinedRules(rules, held)))
  if (all === null) return []
  if (added.length === 1) return [{ id: added[0]!.id, message: all }]
  const refused: RefusedRule[] = []
  let taken = [...held]
  for (const rule of added) {
    const next = joinedRules([rule], taken)
    const message = await refusalOf(platform.setPriceRules(shop, next))
    if (message === null) taken = next
    else refused.push({ id: rule.id, message })
  }
  return refused
}

/** Statuses that are about what was said, and not about whom it was said to. */
const notTaken = [400, 413, 422]
async function refusalOf(asked: Promise<void>): Promise<string | null> {
  try {
    await asked
    return null
  } catch (error) {
    if (error instanceof HttpProblem && notTaken.includes(error.status)) return error.message
    throw error
  }
}
