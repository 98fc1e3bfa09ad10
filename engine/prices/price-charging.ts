import { isDeepStrictEqual } from 'node:util'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Platform } from '../platform/adapter.ts'

/** A test whose rules the shop refuses, and the shop's message. */
export type Refused = { id: string; message: string }

/** These rules, and those of other tests that the shop has already (`held`). */
export const joinedRules = (
  rules: readonly PriceRuleSet[],
  held: readonly PriceRuleSet[],
): PriceRuleSet[] => [...rules, ...held.filter(old => !rules.some(({ id }) => id === old.id))]

/** The rules that the shop has already in exactly this form. */
export const chargedAlready = (
  rules: readonly PriceRuleSet[],
  held: readonly PriceRuleSet[],
): PriceRuleSet[] => rules.filter(rule => held.some(old => isDeepStrictEqual(old, rule)))

/** Whether the shop has rules of tests that it must stop charging by. */
export const doGoAway = (rules: readonly PriceRuleSet[], held: readonly PriceRuleSet[]): boolean =>
  held.some(old => !rules.some(({ id }) => id === old.id))

/**
 * Makes the shop charge by these rules in addition to those that it has. If the shop refuses them
 * together, each one is sent separately, so that a refused rule does not keep the others from being
 * charged; the rules that the shop has stay in force meanwhile. Returns the refused rules.
 * `isCrowded`: the shop refused while it has rules that will be removed. These may be the ones that
 * are too many, so no rule is reported as refused before they are removed. Throws errors that are
 * not about a rule, such as an unreachable shop.
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

/**
 * HTTP statuses that are about the content of the request, not about the shop that it was sent to.
 */
const notTaken = [400, 413, 422]
/** Whether the shop refuses the content of a request, and would refuse it again. */
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
