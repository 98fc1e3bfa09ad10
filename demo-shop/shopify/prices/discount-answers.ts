import type { Install, InstallKinds } from '../../shopify-web/installs.ts'
import { connection } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { sorted } from '../api/lists.ts'
import { searchFor } from '../api/search-query.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { functionId } from './function-id.ts'

type Combines = {
  orderDiscounts?: boolean
  productDiscounts?: boolean
  shippingDiscounts?: boolean
}
type Input = {
  title?: string | null
  functionHandle?: string | null
  functionId?: string | null
  startsAt?: string | Date | null
  endsAt?: string | Date | null
  discountClasses?: string[] | null
  combinesWith?: Combines | null
  appliesOnOneTimePurchase?: boolean | null
  appliesOnSubscription?: boolean | null
  metafields?: { namespace?: string | null; key: string; type?: string | null; value: string }[]
}
/** Automatic discounts by functions that a shop has at most. */
const maxDiscounts = 25
const instantOf = (given: string | Date | null | undefined): string | null => {
  const at = given == null ? null : new Date(given)
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : null
}

/** Automatic discounts that functions of the app decide. */
export function discountAnswers(
  parts: FaceParts,
  writeFields: (owner: string, fields: NonNullable<Input['metafields']>) => string | null,
) {
  const { state, metafields, keys } = parts
  const { installs } = state.web!
  const ownGid = (id: number): string => gid('DiscountAutomaticNode', id)
  const statusOf = ({ startsAt, endsAt }: Install<'discount'>): string => {
    const now = state.clock().toISOString()
    return startsAt > now ? 'SCHEDULED' : endsAt !== null && endsAt <= now ? 'EXPIRED' : 'ACTIVE'
  }
  const answerOf = (one: Install<'discount'>): object => {
    const given = one.given as Input
    const classes = given.discountClasses ?? ['PRODUCT']
    return {
      __typename: 'DiscountAutomaticApp',
      discountId: ownGid(one.id),
      title: one.title,
      status: statusOf(one),
      startsAt: one.startsAt,
      endsAt: one.endsAt,
      createdAt: one.createdAt,
      updatedAt: one.createdAt,
      discountClass: classes[0],
      discountClasses: classes,
      asyncUsageCount: 0,
      tags: [],
      recurringCycleLimit: 1,
      errorHistory: null,
      appliesOnOneTimePurchase: given.appliesOnOneTimePurchase ?? true,
      appliesOnSubscription: given.appliesOnSubscription ?? true,
      combinesWith: {
        orderDiscounts: false,
        productDiscounts: false,
        shippingDiscounts: false,
        productDiscountsWithTagsOnSameCartLine: null,
        ...given.combinesWith,
      },
      appDiscountType: {
        appKey: keys.apiKey,
        functionId: functionId(one.functionHandle),
        title: one.functionHandle,
        description: null,
        discountClasses: classes,
      },
    }
  }
  const node = (one: Install<'discount'>, type: 'DiscountNode' | 'DiscountAutomaticNode') => ({
    __typename: type,
    ...metafieldAnswers(parts, ownGid(one.id)),
    id: gid(type, one.id),
    ...(type === 'DiscountNode'
      ? { discount: () => answerOf(one) }
      : { automaticDiscount: () => answerOf(one) }),
  })
  const numberIn = (id: string): number =>
    Number(idIn('DiscountAutomaticNode', id) ?? idIn('DiscountNode', id) ?? Number.NaN)
  const byId = (id: string) => installs.all('discount').find(each => each.id === numberIn(id))
  const nodeOf = (type: 'DiscountNode' | 'DiscountAutomaticNode') => (id: string) => {
    const found = byId(id)
    return found ? node(found, type) : null
  }
  type Refusal = { code: string; message: string; at: string }
  /** What a discount is kept as, or what is against it. */
  const kept = (given: Input, before?: Install<'discount'>): InstallKinds['discount'] | Refusal => {
    const title = given.title ?? before?.title ?? ''
    const functionHandle = given.functionHandle ?? before?.functionHandle
    const startsAt = instantOf(given.startsAt) ?? before?.startsAt ?? null
    const endsAt = instantOf(given.endsAt) ?? before?.endsAt ?? null
    if (title.trim() === '') return { code: 'BLANK', message: 'Title can’t be blank', at: 'title' }
    if (given.functionHandle != null && given.functionId != null)
      return { code: 'MULTIPLE_FUNCTION_IDENTIFIERS', message: 'Only one', at: 'functionHandle' }
    if (functionHandle === undefined)
      return {
        code: 'MISSING_FUNCTION_IDENTIFIER',
        message: 'This stand-in knows functions by their handles',
        at: 'functionHandle',
      }
    const target = parts.functionTarget(functionHandle)
    if (target === null || (target !== undefined && !target.startsWith('cart.lines.discounts')))
      return { code: 'INVALID', message: 'Function is no discount', at: 'functionHandle' }
    if (startsAt === null)
      return { code: 'BLANK', message: 'Starts at can’t be blank', at: 'startsAt' }
    if (endsAt !== null && endsAt <= startsAt)
      return { code: 'END_DATE_BEFORE_START_DATE', message: 'Ends too early', at: 'endsAt' }
    const { metafields: _, ...rest } = given
    return { title, functionHandle, startsAt, endsAt, given: { ...before?.given, ...rest } }
  }
  const refused = ({ code, message, at }: Refusal) => ({
    automaticAppDiscount: null,
    userErrors: [{ code, message, field: ['automaticAppDiscount', at], extraInfo: null }],
  })
  const missing = {
    code: 'INVALID',
    message: 'Discount does not exist',
    field: ['id'],
    extraInfo: null,
  }
  const create = ({ automaticAppDiscount: given }: { automaticAppDiscount: Input }) => {
    const wanted = kept(given)
    if ('code' in wanted) return refused(wanted)
    if (installs.all('discount').length >= maxDiscounts)
      return refused({ code: 'MAX_APP_DISCOUNTS', message: 'Too many discounts', at: 'title' })
    const made = installs.add('discount', wanted)
    const wrong = writeFields(ownGid(made.id), given.metafields ?? [])
    if (wrong !== null) {
      installs.remove('discount', made.id)
      return refused({ code: 'INVALID', message: wrong, at: 'metafields' })
    }
    return { automaticAppDiscount: answerOf(made), userErrors: [] }
  }
  const answers: Answers = {
    query: {
      discountNode: ({ id }: { id: string }) => nodeOf('DiscountNode')(id),
      discountNodes: ({ query, sortKey = 'ID', ...page }: ListArgs) =>
        connection(
          sorted(
            installs.all('discount').filter(
              searchFor<Install<'discount'>>(
                query,
                {
                  id: ({ id }) => id,
                  title: ({ title }) => title,
                  status: one => statusOf(one).toLowerCase(),
                  method: () => 'automatic',
                  type: () => 'app',
                },
                ({ title }) => title,
              ),
            ),
            {
              ID: ({ id }) => id,
              TITLE: ({ title }) => title,
              CREATED_AT: ({ createdAt }) => createdAt,
            },
            sortKey,
            ({ id }) => id,
          ),
          page,
          ({ id }) => String(id),
          one => node(one, 'DiscountNode'),
        ),
    },
    mutation: {
      discountAutomaticAppCreate: create,
      discountAutomaticAppUpdate: ({
        id,
        automaticAppDiscount: given,
      }: {
        id: string
        automaticAppDiscount: Input
      }) => {
        const before = byId(id)
        if (!before) return { automaticAppDiscount: null, userErrors: [missing] }
        const wanted = kept(given, before)
        if ('code' in wanted) return refused(wanted)
        const wrong = writeFields(ownGid(before.id), given.metafields ?? [])
        if (wrong !== null) return refused({ code: 'INVALID', message: wrong, at: 'metafields' })
        return {
          automaticAppDiscount: answerOf(installs.update('discount', before.id, wanted)!),
          userErrors: [],
        }
      },
      discountAutomaticDelete: ({ id }: { id: string }) => {
        const number = Number(idIn('DiscountAutomaticNode', id) ?? Number.NaN)
        if (!installs.remove('discount', number))
          return { deletedAutomaticDiscountId: null, userErrors: [missing] }
        metafields.removeOf(ownGid(number))
        return { deletedAutomaticDiscountId: id, userErrors: [] }
      },
    },
  }
  return {
    answers,
    nodes: {
      DiscountNode: nodeOf('DiscountNode'),
      DiscountAutomaticNode: nodeOf('DiscountAutomaticNode'),
    },
  }
}
