import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { discountTypes } from '../../domain/plans/discount.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import {
  appliedSorts,
  type DiscountInput,
  discountSorts,
  discountStates,
  discountValue,
  endOfDay,
} from '../../domain/staff/staff-discounts.ts'
import {
  AddDiscount,
  type DiscountForm,
  emptyDiscount,
} from '../../views/staff/admin-add-discount.tsx'
import { Applied, Discounts } from '../../views/staff/admin-discounts.tsx'
import {
  beyondTheEnd,
  fieldText,
  listAsked,
  listState,
  type Posted,
  refusedFields,
} from './admin-list.ts'
import { queryOf } from '../http/query.ts'
import { seeOther } from '../page/page.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

/**
 * Staff's pages of discount codes for plans: all codes, the codes that stores have used, and a new
 * code.
 */
export function adminDiscounts(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.admin('plan-discounts/codes'), async (request, reply) => {
    const state = listState(request, {
      sorts: discountSorts,
      usual: { sort: 'createdAt', descending: true },
      filters: { state: discountStates },
    })
    const narrowed = discountStates.find(name => name === state.filters['state'])
    const found = await staffApiOf(request).adminDiscounts({
      query: { ...listAsked(state), ...(narrowed && { state: narrowed }) },
    })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(Discounts, { state, ...found, ending: endingIn(request) }))
    )
  })

  app.post<{ Params: { code: string } }>(
    `${paths.admin('plan-discounts/codes')}/:code`,
    async (request, reply) => {
      const { code } = await staffApiOf(request).endDiscount({ params: request.params })
      toast(request, reply, `${code} was ended.`)
      return seeOther(request, reply, paths.admin('plan-discounts/codes'))
    },
  )

  app.get(paths.admin('plan-discounts/applied'), async (request, reply) => {
    const state = listState(request, {
      sorts: appliedSorts,
      usual: { sort: 'at', descending: true },
    })
    const found = await staffApiOf(request).adminDiscountsApplied({ query: listAsked(state) })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(Applied, { state, ...found, now: clock() }))
    )
  })

  app.get(paths.admin('plan-discounts/add'), (request, reply) =>
    form(request, reply, emptyDiscount, []),
  )

  app.post<Posted>(paths.admin('plan-discounts/add'), async (request, reply) => {
    const typed = Object.fromEntries(
      Object.keys(emptyDiscount).map(name => [name, fieldText(request.body, name)]),
    ) as DiscountForm
    try {
      const added = await staffApiOf(request).addDiscount({ body: inputOf(typed) })
      toast(request, reply, `${added.code} takes off ${discountValue(added)}.`)
      return seeOther(request, reply, paths.admin('plan-discounts/codes'))
    } catch (error) {
      return form(request, reply.code(422), typed, refusedFields(error))
    }
  })

  async function form(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: DiscountForm,
    problems: FieldProblem[],
  ): Promise<FastifyReply> {
    const plans = await staffApiOf(request).adminPlans({})
    return staffPage(
      request,
      reply,
      { route: 'admin-add-discount' },
      h(AddDiscount, { form: typed, plans, problems, today: clock().toISOString().slice(0, 10) }),
    )
  }
}

/** The code that a link asks to end, before it is confirmed. */
function endingIn(request: FastifyRequest): string | null {
  const query = queryOf(request)
  return query.get('ask') === 'end' ? query.get('ending') : null
}

/**
 * The form as the API takes it. Text that is no number becomes -1, which the API refuses, so that
 * its message is shown at the field.
 */
function inputOf({
  code,
  valueType,
  value,
  planId,
  expiresAt,
  maxStores,
}: DiscountForm): DiscountInput {
  const plain = (text: string) => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : -1)
  return {
    code: code.slice(0, 200),
    valueType:
      valueType === String(discountTypes.Fixed) ? discountTypes.Fixed : discountTypes.Percentage,
    value: plain(value),
    planId: planId === '' ? null : planId.slice(0, 64),
    expiresAt: expiresAt.trim() === '' ? null : endOfDay(expiresAt.trim()).slice(0, 40),
    maxStores: maxStores.trim() === '' ? null : plain(maxStores),
  }
}
