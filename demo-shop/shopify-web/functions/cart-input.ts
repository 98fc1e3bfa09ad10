import { decimalMoney } from '../../../domain/money.ts'
import type { PricedCart } from '../../orders/carts.ts'
import type { Currency } from '../../pages/currencies.ts'
import { shownPiece } from '../../pages/shown.ts'
import { gid } from '../../shopify/api/gid.ts'
import { marketHandle, marketId, unitRate } from '../embed/embed-page.ts'

/** Reads what the app keeps with something that the platform names so. */
export type FieldOf = (
  owner: string,
  namespace: string | null | undefined,
  key: string,
) => { type: string; value: string } | null

export const lineId = (index: number): string => gid('CartLine', index)
/** The line that an operation names; -1 for none. */
export const lineIndex = (id: string): number => Number(/\/(\d+)$/.exec(id)?.[1] ?? -1)

/**
 * The root of a function's input for a cart in a market, before any function has run: the schema's
 * objects, of which the function's document asks for a part. `owner`: the platform's name of what
 * the app has installed, a cart transform or a discount.
 */
export function functionInput(
  cart: PricedCart,
  market: Currency,
  {
    shopId,
    owner,
    country,
    fieldOf,
  }: {
    shopId: string
    owner: string
    country: string
    fieldOf: FieldOf
  },
): object {
  const money = (minor: number) => ({
    amount: decimalMoney(minor, market.code),
    currencyCode: market.code,
  })
  const fields = (named: string) => ({
    metafield: ({ namespace, key }: { namespace?: string | null; key: string }) => {
      const found = fieldOf(named, namespace, key)
      return (
        found && {
          ...found,
          jsonValue: found.type === 'json' ? JSON.parse(found.value) : found.value,
        }
      )
    },
  })
  return {
    presentmentCurrencyRate: String(unitRate(market)),
    shop: fields(shopId),
    cartTransform: fields(owner),
    discount: { discountClasses: ['PRODUCT'], ...fields(owner) },
    enteredDiscountCodes: [],
    localization: {
      country: { isoCode: country },
      language: { isoCode: 'EN' },
      market: {
        id: gid('Market', marketId(market.code)),
        handle: marketHandle(market.code),
        regions: [],
        ...fields(gid('Market', marketId(market.code))),
      },
    },
    cart: {
      attribute: ({ key }: { key: string }) =>
        Object.hasOwn(cart.attributes, key) ? { key, value: cart.attributes[key] } : null,
      buyerIdentity: null,
      metafield: () => null,
      lines: cart.items.map((item, i) => {
        const { price } = shownPiece(item, market)
        return {
          id: lineId(i),
          quantity: item.quantity,
          attribute: () => null,
          discountAllocations: [],
          cost: {
            amountPerQuantity: money(price),
            compareAtAmountPerQuantity: null,
            subtotalAmount: money(price * item.quantity),
            totalAmount: money(price * item.quantity),
          },
          merchandise: {
            __typename: 'ProductVariant',
            id: gid('ProductVariant', item.variant_id),
            title: item.variant_title,
            sku: null,
            requiresShipping: true,
            ...fields(gid('ProductVariant', item.variant_id)),
            product: {
              id: gid('Product', item.product_id),
              handle: item.handle,
              title: item.product_title,
              isGiftCard: false,
              ...fields(gid('Product', item.product_id)),
            },
          },
          sellingPlanAllocation: item.selling_plan && {
            priceAdjustments: [{ price: money(price), perDeliveryPrice: money(price) }],
            sellingPlan: {
              id: gid('SellingPlan', item.selling_plan.id),
              name: item.selling_plan.name,
              recurringDeliveries: true,
              description: null,
            },
          },
        }
      }),
      cost: { subtotalAmount: money(0), totalAmount: money(0) },
    },
  }
}
