import type { FastifyBaseLogger } from 'fastify'
import type { PricedCart } from '../../orders/carts.ts'
import type { Currency } from '../../pages/currencies.ts'
import { functionInput, type FieldOf } from './cart-input.ts'
import { discounted, transformed, type DiscountResult, type TransformResult } from './charge.ts'
import { runFunction, type AppFunction, type FunctionAnswer } from './run-function.ts'

/** What the app has installed in the shop, by the handle of its function. `id`: for its fields. */
export type Installed = { id: string; functionHandle: string }
export type PriceFunctionParts = {
  /** The app's functions, as they were deployed. */
  functions: () => readonly AppFunction[]
  cartTransforms: () => readonly Installed[]
  /** Automatic discounts that run now. */
  discounts: () => readonly (Installed & { title: string })[]
  /** Only some plans run the update of a line by a cart transform. */
  mayTransform: () => boolean
  shopId: string
  fieldOf: FieldOf
  log: FastifyBaseLogger | undefined
}
/** Runs the app's functions over a cart that has the shop's own prices. */
export type PriceFunctions = (cart: PricedCart, market: Currency) => PricedCart

export function priceFunctions(parts: PriceFunctionParts): PriceFunctions {
  const { functions, cartTransforms, discounts, mayTransform, shopId, fieldOf, log } = parts
  const find = ({ functionHandle }: Installed, target: AppFunction['target']) =>
    functions().find(each => each.handle === functionHandle && each.target === target)
  /** What it returned, or null when it failed: the platform then goes on without it. */
  const answerOf = <T>(app: AppFunction | undefined, root: () => object): T | null => {
    if (!app) return null
    const answer: FunctionAnswer<T> = runFunction<T>(app, root())
    if (answer.problem === undefined) return answer.value
    log?.warn({ function: app.handle, problem: answer.problem }, 'a function failed')
    return null
  }
  return (cart, market) => {
    if (cart.items.length === 0) return cart
    let priced = cart
    const input = (owner: string) => () =>
      functionInput(priced, market, { shopId, owner, country: 'US', fieldOf })
    for (const transform of mayTransform() ? cartTransforms() : []) {
      const result = answerOf<TransformResult>(
        find(transform, 'cart.transform.run'),
        input(transform.id),
      )
      if (result) priced = transformed(priced, market, result)
    }
    for (const discount of discounts()) {
      const result = answerOf<DiscountResult>(
        find(discount, 'cart.lines.discounts.generate.run'),
        input(discount.id),
      )
      if (result) priced = discounted(priced, market, discount.title, result)
    }
    return priced
  }
}
