import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { FastifyPluginAsync } from 'fastify'
import { cartAttribute } from '../../domain/events/event.ts'
import { highestPrice } from '../../domain/prices/price-rule.ts'
import { priceAttribute, testedPrice, type PriceRuleSet } from '../../domain/prices/price-test.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { FindVariant } from '../catalogue/changed.ts'
import type { Bearer } from './bearer.ts'
import type { Database } from '../database.ts'

/**
 * What a product variant costs in a cart with these attributes, in minor units; null when no price
 * test changes its price.
 */
export type TestedPriceOf = (attributes: Record<string, string>, variantId: number) => number | null
/** The app's price rules. The platform itself applies them wherever a cart is priced. */
export type PriceRules = {
  current: () => readonly PriceRuleSet[]
  set: (rules: readonly PriceRuleSet[]) => void
  priceOf: TestedPriceOf
}

export function openPriceRules(db: Database): PriceRules {
  db.exec(
    'create table if not exists price_rules (id integer primary key check (id = 1), rules text not null) strict',
  )
  const write = db.prepare(
    'insert into price_rules (id, rules) values (1, ?) on conflict (id) do update set rules = excluded.rules',
  )
  const row = db.prepare('select rules from price_rules').get() as { rules: string } | undefined
  let current: readonly PriceRuleSet[] = row ? (JSON.parse(row.rules) as PriceRuleSet[]) : []
  return {
    current: () => current,
    set: rules => {
      if (rules.length > 0) write.run(JSON.stringify(rules))
      else db.exec('delete from price_rules')
      current = rules
    },
    priceOf: (attributes, variantId) =>
      testedPrice(
        current,
        attributes[cartAttribute],
        attributes[priceAttribute],
        String(variantId),
      ),
  }
}

/**
 * What the shop really charges by the rules: a shop that can only lower prices charges its own
 * price in place of a higher one.
 */
export const chargedPriceOf =
  (
    { current }: ShopCapabilities,
    { priceOf }: PriceRules,
    findVariant: FindVariant,
  ): TestedPriceOf =>
  (attributes, variantId) => {
    const { priceWay } = current()
    const tested = priceWay === 'none' ? null : priceOf(attributes, variantId)
    if (tested === null || priceWay === 'transform') return tested
    return tested < (findVariant(variantId)?.variant.price ?? 0) ? tested : null
  }

const maxRules = 100
const Weight = Type.Number({ minimum: 0, maximum: 1 })
const checkRules = Compile(
  Type.Array(
    Type.Object(
      {
        id: Type.String({ pattern: '^[\\w-]{1,64}$' }),
        weights: Type.Tuple([Weight, Weight]),
        prices: Type.Record(
          Type.String({ pattern: '^\\d{1,20}$' }),
          Type.Integer({ minimum: 1, maximum: highestPrice }),
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    { maxItems: maxRules },
  ),
)
/** Enough for a large shop with all of its products in tests. */
const bodyLimit = 4 * 1024 * 1024

/**
 * Reads and replaces the app's price rules, all of them at once. Every request needs the app's
 * secret as a bearer token.
 */
export const priceRulesApi: FastifyPluginAsync<{
  priceRules: PriceRules
  isAdmin: Bearer
}> = async (app, { priceRules, isAdmin }) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })
  app.get('/admin/api/price-rules', () => priceRules.current())
  app.put('/admin/api/price-rules', { bodyLimit }, ({ body }) => {
    if (Array.isArray(body) && body.length > maxRules)
      throw wrong('rules', `This shop takes the rules of ${maxRules} price tests at most.`)
    if (!checkRules.Check(body))
      throw wrong(
        checkRules.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') || 'rules',
        'This is no price rule.',
      )
    if (new Set(body.map(({ id }) => id)).size < body.length)
      throw wrong('rules', 'A test is named twice.')
    priceRules.set(body)
    return { ok: true }
  })
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, `${field}: ${message}`, [{ field, message }])
