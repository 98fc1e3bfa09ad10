import { accepted } from '../client/problems.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import {
  cartTransforms,
  createCartTransform,
  createPriceDiscount,
  deleteCartTransform,
  deletePriceDiscount,
  priceDiscounts,
} from '../documents/prices.ts'
import { ScopeMissing } from '../client/problems.ts'
import { functionHandles, priceDiscountTitle } from './price-discount.ts'

/**
 * Our functions in a shop: the cart transform sets the price of a line, the automatic discount
 * lowers it. A shop has one of them while it has price tests, and none otherwise. Calls of the API
 * answer only with what is our own app's.
 */
export function priceFunctions({ ask }: ShopifyClient) {
  const transforms = async (shop: string) =>
    (await ask(shop, cartTransforms, {})).cartTransforms.nodes
  const discounts = async (shop: string) => {
    const { discountNodes } = await ask(shop, priceDiscounts, {
      query: `title:${JSON.stringify(priceDiscountTitle)}`,
    })
    return discountNodes.nodes.filter(
      ({ discount }) =>
        discount.__typename === 'DiscountAutomaticApp' && discount.title === priceDiscountTitle,
    )
  }
  const removeTransforms = async (shop: string) => {
    for (const { id } of await transforms(shop))
      accepted(
        (await ask(shop, deleteCartTransform, { id }, { mayRepeat: true })).cartTransformDelete,
      )
  }
  const removeDiscounts = async (shop: string) => {
    for (const { id } of await discounts(shop)) {
      const asked = { id: id.replace('/DiscountNode/', '/DiscountAutomaticNode/') }
      accepted(
        (await ask(shop, deletePriceDiscount, asked, { mayRepeat: true })).discountAutomaticDelete,
      )
    }
  }
  /** A way whose scope was never granted has nothing to remove. */
  const ifGranted = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ScopeMissing)) throw error
    }
  }
  return {
    install: async (shop: string, way: 'transform' | 'discount'): Promise<void> => {
      if (way === 'transform') {
        await ifGranted(() => removeDiscounts(shop))
        if ((await transforms(shop)).length > 0) return
        const { cartTransformCreate } = await ask(shop, createCartTransform, {
          handle: functionHandles.transform,
        })
        accepted(cartTransformCreate)
        return
      }
      await ifGranted(() => removeTransforms(shop))
      if ((await discounts(shop)).length > 0) return
      const { discountAutomaticAppCreate } = await ask(shop, createPriceDiscount, {
        discount: {
          title: priceDiscountTitle,
          functionHandle: functionHandles.discount,
          startsAt: new Date().toISOString(),
          discountClasses: ['PRODUCT'],
          combinesWith: { orderDiscounts: true, productDiscounts: true, shippingDiscounts: true },
          appliesOnOneTimePurchase: true,
          appliesOnSubscription: true,
        },
      })
      accepted(discountAutomaticAppCreate)
    },
    remove: async (shop: string): Promise<void> => {
      await ifGranted(() => removeTransforms(shop))
      await ifGranted(() => removeDiscounts(shop))
    },
  }
}
