import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { PlatformId, PriceRule, type TestProduct } from '../../domain/products/product.ts'
import { maxPicked } from '../../domain/products/product-pick.ts'
import type {
  ContentBlock,
  SectionUpdate,
  TemplateContent,
} from '../../domain/themes/template-content.ts'
import { templateTypes } from '../../domain/themes/template.ts'
import { outcomes } from '../upstream/api-outcomes.ts'
import { requireNoEdits } from './draft-discard.ts'
import { productsOf } from './draft-products.ts'
import { type Act, type ActContext, refused } from './steps/draft-step.ts'

/*
 * Undo and redo for what the steps of the editor store besides the fields of their forms. `kept…`
 * makes the snapshot that the page holds (islands/drafts/edit-watch.ts); `restore…` is the act that
 * stores a snapshot again.
 */

const Id = Type.String({ maxLength: 200 }),
  Ids = Type.Array(Id, { maxItems: 1000 })
const Maybe = <T extends Type.TSchema>(type: T) => Type.Union([type, Type.Null()])

/**
 * An act that stores a snapshot again. The snapshot comes from a browser, so it may be anything: a
 * malformed one is refused at `field`.
 */
function restore<T extends Type.TSchema>(
  schema: T,
  field: string,
  store: (context: ActContext, kept: Type.Static<T>) => Promise<Record<string, string> | void>,
): Act {
  const shape = Compile(schema)
  return async context => {
    let kept: unknown
    try {
      kept = JSON.parse(String(context.posted['restore']))
    } catch {
      /* not JSON: refused below */
    }
    if (!shape.Check(kept))
      throw refused(field, 'This change can no longer be undone. Make it again by hand.')
    return store(context, kept as Type.Static<T>)
  }
}

const Theme = Type.Object({ themeId: Maybe(Id), control: Type.Optional(Maybe(Id)) })
export const keptTheme = ({ control, variant }: TestDraft): Type.Static<typeof Theme> => ({
  themeId: variant?.themeId ?? null,
  control: control?.themeId ?? null,
})
export const restoreTheme = (choose: Act) =>
  restore(Theme, 'themeId', async (context, { themeId, control: kept }) => {
    const {
      api,
      draft: { id, control, variant },
    } = context
    const isSwap =
      themeId !== null && themeId === control?.themeId && kept && kept === variant?.themeId
    if (isSwap) await api.setControl({ params: { id }, body: { themeId: kept } })
    else if (themeId !== null) await choose(context as Parameters<Act>[0], themeId)
    else if (variant) await api.removeVariant({ params: { id } })
  })

/**
 * The variant's suffix is null for a copy that we made: it is made again and gets another suffix.
 */
const Targets = Type.Object({
  control: Maybe(Type.Object({ type: Type.Enum([...templateTypes]), suffix: Id })),
  variant: Maybe(Type.Object({ suffix: Maybe(Id) })),
  resourceIds: Ids,
})
type Targets = Type.Static<typeof Targets>
export function keptTargets({ control, variant, resourceIds }: TestDraft): Targets {
  if (!control?.templateType) return { control: null, variant: null, resourceIds: [] }
  return {
    control: { type: control.templateType, suffix: control.suffix ?? '' },
    variant: variant && { suffix: variant.isOurs ? null : (variant.suffix ?? '') },
    resourceIds,
  }
}
export const restoreTargets = restore(Targets, 'variant', async (context, kept) => {
  const { api, draft } = context,
    params = { id: draft.id }
  const isSame = (now: TestDraft): boolean =>
    JSON.stringify(keptTargets(now)) === JSON.stringify(kept)
  if (isSame(draft)) return
  await requireNoEdits(context)
  const { control, variant, resourceIds } = kept,
    before = keptTargets(draft)
  let now = draft
  if (!control) return void (await api.removeControl({ params }))
  if (JSON.stringify(before.control) !== JSON.stringify(control))
    now = await api.setControl({ params, body: control })
  if (isSame(now)) return
  if (variant)
    await api.setVariant({
      params,
      body: {
        ...(variant.suffix !== null && { suffix: variant.suffix }),
        ...(resourceIds.length > 0 && { granular: resourceIds }),
      },
    })
  else if (now.variant) await api.removeVariant({ params })
})

const Part = Type.Object({ id: Id, isShown: Type.Boolean() })
const Content = Type.Array(
  Type.Object({ ...Part.properties, blocks: Type.Array(Part, { maxItems: 200 }) }),
  { maxItems: 200 },
)
/** Order and visibility of sections and blocks. Their contents are fields of the form. */
export const keptContent = ({ sections }: TemplateContent): Type.Static<typeof Content> =>
  sections.map(({ id, isShown, blocks }) => ({
    id,
    isShown,
    blocks: blocks.map(block => ({ id: block.id, isShown: block.isShown })),
  }))
export const restoreContent = restore(Content, 'content', async ({ api, draft }, kept) => {
  const params = { id: draft.id },
    { version, sections } = await api.templateContent({ params })
  const changed = sections.flatMap((section): SectionUpdate[] => {
    const was = kept.find(({ id }) => id === section.id)
    if (!was) return []
    const blocks = section.blocks.flatMap(block => shownAs(block, was.blocks)),
      blockOrder = inOrder(section.blocks, was.blocks)
    const own = shownAs(section, kept)
    return own.length + blocks.length > 0 || blockOrder
      ? [
          {
            id: section.id,
            ...own[0],
            ...(blocks.length > 0 && { blocks }),
            ...(blockOrder && { blockOrder }),
          },
        ]
      : []
  })
  const order = inOrder(sections, kept)
  if (order || changed.length > 0)
    await api.setTemplateContent({
      params,
      body: { version, ...(order && { order }), ...(changed.length > 0 && { sections: changed }) },
    })
  return changed[0] ? { open: changed[0].id } : undefined
})
type Part = Type.Static<typeof Part>
function shownAs(
  { id, isShown }: Pick<ContentBlock, 'id' | 'isShown'>,
  kept: readonly Part[],
): Part[] {
  const was = kept.find(part => part.id === id)
  return was && was.isShown !== isShown ? [{ id, isShown: was.isShown }] : []
}
/**
 * Parts that are new since the snapshot come after the others, in their present order. Undefined
 * when nothing moves.
 */
function inOrder(now: readonly { id: string }[], kept: readonly Part[]): string[] | undefined {
  const ids = now.map(({ id }) => id),
    known = kept.map(({ id }) => id)
  const order = [...known.filter(id => ids.includes(id)), ...ids.filter(id => !known.includes(id))]
  return order.join('\n') === ids.join('\n') ? undefined : order
}

const Prices = Type.Array(
  Type.Object({
    productId: PlatformId,
    rule: Maybe(PriceRule),
    prices: Type.Array(Type.Tuple([PlatformId, Type.Integer()]), { maxItems: 2048 }),
  }),
  { maxItems: 5000 },
)
type Prices = Type.Static<typeof Prices>
export const keptPrices = (products: readonly TestProduct[]): Prices =>
  products.map(({ productId, rule, variants }) => ({
    productId,
    rule,
    prices: variants.map(({ id, variantPrice }) => [id, variantPrice]),
  }))
export const restorePrices = restore(Prices, 'products', async ({ api, draft }, kept) => {
  const now = keptPrices(await productsOf(api, draft.id)),
    has = (list: Prices, id: string) => list.some(({ productId }) => productId === id)
  const gone = now
    .filter(({ productId }) => !has(kept, productId))
    .map(({ productId }) => ({ productId, remove: true }))
  const pricing = (of: Prices[number] | undefined) => JSON.stringify(of && [of.rule, of.prices])
  const others = kept
    .filter(
      was => pricing(was) !== pricing(now.find(({ productId }) => productId === was.productId)),
    )
    .map(({ productId, rule, prices }) => ({ productId, ...priced(rule, prices) }))
  const all = [...gone, ...others]
  for (let i = 0; i < all.length; i += maxPicked)
    await outcomes.upsertProducts(
      api.upsertProducts({
        query: { testDraftId: draft.id },
        body: { products: all.slice(i, i + maxPicked) },
      }),
    )
})
const priced = (rule: Type.Static<typeof PriceRule> | null, prices: [string, number][]) =>
  rule ? { rule } : { prices: prices.map(([variantId, price]) => ({ variantId, price })) }
