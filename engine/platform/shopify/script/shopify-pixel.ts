import { HttpProblem } from '../../../../domain/problem.ts'
import type { CheckoutPixel, Platform } from '../../adapter.ts'
import { accepted, ScopeMissing } from '../client/problems.ts'
import { isNotFound, type ShopifyClient } from '../client/shopify-client.ts'
import { checkoutPixel, createPixel, deletePixel, updatePixel } from '../documents/pixel.ts'

/**
 * Our web pixel in a Shopify shop. Shopify has its source from our extension and runs it in a
 * sandbox with the buyer's consent, so we give only the settings. A shop has one pixel of an app.
 */
export function shopifyPixel({ ask }: ShopifyClient): Pick<Platform, 'publishPixel'> {
  /** Shopify answers an error where there is no pixel yet. */
  const present = async (shop: string) => {
    try {
      return (await ask(shop, checkoutPixel, {})).webPixel
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }
  /** A shop that gives no permission for a pixel cannot have one. */
  const asRefusal = (error: unknown): never => {
    throw error instanceof ScopeMissing ? new HttpProblem(422, error.message) : error
  }
  return {
    publishPixel: (shop, pixel) => publish(shop, pixel).catch(asRefusal),
  }

  async function publish(shop: string, pixel: CheckoutPixel | null): Promise<void> {
    const there = await present(shop)
    if (!pixel) {
      if (there) accepted((await ask(shop, deletePixel, { id: there.id })).webPixelDelete)
      return
    }
    const { settings } = pixel
    if (!there) accepted((await ask(shop, createPixel, { settings })).webPixelCreate)
    else if (!isSame(there.settings, settings))
      accepted(
        (await ask(shop, updatePixel, { id: there.id, settings }, { mayRepeat: true }))
          .webPixelUpdate,
      )
  }
}

/** Settings come back as an object, or as its text. */
function isSame(held: unknown, wanted: Record<string, string>): boolean {
  const settings = (typeof held === 'string' ? parsed(held) : held) as Record<string, unknown>
  return (
    typeof settings === 'object' &&
    settings !== null &&
    Object.keys(settings).length === Object.keys(wanted).length &&
    Object.entries(wanted).every(([key, value]) => settings[key] === value)
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
