import { randomUUID } from 'node:crypto'
import { templateFile } from '../../domain/themes/template.ts'
import { findProduct } from '../catalogue/collections.ts'
import type { DemoDraft } from './demo-test-drafts.ts'
import type { MerchantCall } from './merchant.ts'
import { liveTheme, type ShopFiles } from './shop-files.ts'

/** Writes a draft as a merchant does: its fields, then what the variant shows. Returns its id. */
export async function writeDraft(
  call: MerchantCall,
  shop: ShopFiles,
  { draft, domSelectors, prices, template }: DemoDraft,
): Promise<string> {
  const { id, hypotheses } = await call('createDraft', { body: draft })
  if (domSelectors) {
    const variant = hypotheses.find(({ arm }) => arm === 'variant')!
    await call('setDomSelectors', {
      params: { id: variant.id },
      body: { domSelectors: domSelectors.map(one => ({ id: randomUUID(), ...one })) },
    })
  }
  if (prices) {
    const products = prices.handles.map(handle => ({
      productId: String(findProduct(handle)!.id),
      rule: prices.rule,
      testDraftId: id,
    }))
    await call('upsertProducts', { query: {}, body: { products } })
  }
  if (template) await chooseTemplate(call, shop, id, template)
  return id
}

/**
 * Makes a copy of the type's own template for a few pages, and adds a section to it in the shop's
 * theme editor.
 */
async function chooseTemplate(
  call: MerchantCall,
  shop: ShopFiles,
  id: string,
  { type, handles, section }: NonNullable<DemoDraft['template']>,
): Promise<void> {
  const pages = (await shop.resources(type))
    .filter(({ handle }) => handles.includes(handle))
    .map(page => page.id)
  await call('setControl', { params: { id }, body: { type, suffix: '' } })
  const { variant } = await call('setVariant', { params: { id }, body: { granular: pages } })
  const theme = await liveTheme(shop),
    name = templateFile(type, variant!.suffix!)
  const { sections, order } = JSON.parse(await shop.read(theme, name)) as {
    sections: Record<string, unknown>
    order: string[]
  }
  await shop.write(
    theme,
    name,
    JSON.stringify({ sections: { ...sections, added: section }, order: [...order, 'added'] }),
  )
}
