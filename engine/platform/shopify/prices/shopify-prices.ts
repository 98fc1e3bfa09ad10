import { embedNamespace } from '../../../../domain/script/embed-fields.ts'
import {
  functionFields,
  functionNamespace,
  ledgerFields,
  ledgerKeys,
  ledgerRules,
  priceKey,
  switchKey,
} from '../../../../domain/prices/function-rules.ts'
import type { PriceRuleSet } from '../../../../domain/prices/price-test.ts'
import { HttpProblem } from '../../../../domain/problem.ts'
import type { Platform } from '../../adapter.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import { type Field, shopifyFields } from '../client/fields.ts'
import { gid } from '../client/shopify-ids.ts'
import { listedMarkets, marketRoundings, readMarkets } from './price-markets.ts'
import { priceFunctions } from './price-functions.ts'

/**
 * Price tests of a Shopify shop. Functions of ours, which Shopify runs whenever it prices a cart,
 * read fields of the tested product variants and one field of the shop: the switch, which names the
 * running tests. The prices are written before the switch and removed after it, and a price of a
 * test that the switch does not name has no effect. So a refusal changes nothing, and no cart is
 * ever charged by half of the rules.
 */
export function shopifyPrices(
  client: ShopifyClient,
  capabilities: Platform['capabilities'],
): Pick<Platform, 'priceListMarkets' | 'priceRules' | 'setPriceRules'> & {
  removeRules: (shop: string) => Promise<void>
} {
  const fields = shopifyFields(client),
    functions = priceFunctions(client)

  async function heldRules(shop: string) {
    const { ownerId, held } = await fields.ofInstallation(shop, embedNamespace)
    const values = ledgerKeys.flatMap(key => held.get(key) ?? [])
    return { ownerId, keys: ledgerKeys.filter(key => held.has(key)), rules: ledgerRules(values) }
  }

  async function setPriceRules(shop: string, rules: readonly PriceRuleSet[]): Promise<void> {
    const { priceWay } = await capabilities(shop, { isFresh: true })
    if (rules.length > 0 && priceWay === 'none')
      throw new HttpProblem(
        422,
        'Your shop does not let apps change the price that a shopper pays.',
      )
    const { own, markets } = await readMarkets(client, shop)
    const about = { currency: own.currencyCode, markets: marketRoundings(markets) }
    const held = await heldRules(shop)
    const made = functionFields(rules, about),
      before = functionFields(held.rules, about),
      ledger = ledgerFields(rules)
    if (made.problem !== undefined) throw new HttpProblem(422, made.problem)
    if (ledger.problem !== undefined) throw new HttpProblem(422, ledger.problem)
    const old = before.problem === undefined ? before.prices : {}

    const priceField = (variantId: string) => ({
      ownerId: gid('ProductVariant', variantId),
      namespace: functionNamespace,
      key: priceKey,
    })
    if (rules.length > 0 && priceWay !== 'none') await functions.install(shop, priceWay)
    const changed = Object.entries(made.prices)
      .filter(([variantId, value]) => old[variantId] !== value)
      .map(([variantId, value]): Field => ({ ...priceField(variantId), value }))
    await fields.set(shop, changed, written => undo(shop, written, old, priceField))
    const ledgerOwner = { ownerId: held.ownerId, namespace: embedNamespace }
    await fields.set(shop, [
      { ownerId: own.id, namespace: functionNamespace, key: switchKey, value: made.switch },
      ...ledger.fields.map(field => ({ ...ledgerOwner, ...field })),
    ])
    // From here on nobody is charged by what is removed now.
    await fields.remove(shop, [
      ...Object.keys(old)
        .filter(variantId => !Object.hasOwn(made.prices, variantId))
        .map(priceField),
      ...held.keys
        .filter(key => !ledger.fields.some(field => field.key === key))
        .map(key => ({ ...ledgerOwner, key })),
    ])
    if (rules.length === 0) await functions.remove(shop)
  }

  /** Gives product variants back the prices that they had before a later part was refused. */
  async function undo(
    shop: string,
    written: readonly Field[],
    old: Readonly<Record<string, string>>,
    priceField: (variantId: string) => Omit<Field, 'value'>,
  ): Promise<void> {
    const byOwner = new Map(
      Object.entries(old).map(([variantId, value]) => [priceField(variantId).ownerId, value]),
    )
    const back = written.flatMap(field => {
      const value = byOwner.get(field.ownerId)
      return value === undefined ? [] : [{ ...field, value }]
    })
    // What cannot be put back has no effect, and the next rules write over it.
    await fields.set(shop, back).catch(() => {})
    await fields
      .remove(
        shop,
        written.filter(({ ownerId }) => !byOwner.has(ownerId)),
      )
      .catch(() => {})
  }

  return {
    priceListMarkets: async shop => listedMarkets((await readMarkets(client, shop)).markets),
    priceRules: async shop => (await heldRules(shop)).rules,
    setPriceRules,
    removeRules: async shop => {
      const { rules } = await heldRules(shop)
      if (rules.length > 0) await setPriceRules(shop, [])
    },
  }
}
