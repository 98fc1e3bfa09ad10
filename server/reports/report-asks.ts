import { h } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import type { Api } from '../../domain/api/api-client.ts'
import { whyNotApplied, type ApplyFacts } from '../../domain/tests/apply-words.ts'
import { arms, type Arm } from '../../domain/arm.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { isTested } from '../../domain/products/product-check.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { headDialogs, type OpenDialog } from '../../views/reports/report-head.tsx'
import { ApplyTest } from '../../views/tests/test-apply.tsx'
import { TestPhone } from '../../views/tests/test-phone.tsx'
import {
  TestVariant,
  type VariantChoices,
  type VariantForm,
} from '../../views/tests/test-variant.tsx'
import type { Overview } from '../../views/reports/report-links.ts'
import type { Carried } from '../http/query.ts'
import { isShopSilent, outcomes } from '../upstream/api-outcomes.ts'
import { ordersDialog } from './report-orders.ts'

export type Asked = {
  api: Api
  test: Test
  query: URLSearchParams
  today: string
  store: { currency: string; timeZone: string }
  carried: Carried
  /** Whether the plan opens the types of orders. */ showsTypes: boolean
  /** The overview below the dialog. */ shown: Overview
}

/**
 * The dialog that a link on a report asks for with `?ask=`: the confirmation of an act for which
 * the shop must be asked first, or the orders behind a figure. Null when nothing is asked for, or
 * when the test's state does not allow it.
 */
export async function askedOf(asked: Asked): Promise<OpenDialog | null> {
  const { api, test, query, today } = asked
  // An address that asks for two dialogs gets none.
  const ask = query.getAll('ask').length === 1 ? query.get('ask') : null
  if (ask === 'orders') return ordersDialog(asked)
  const name = headDialogs.find(each => each === ask)
  if (name) return { name }
  const arm = arms.find(name => ask === `apply-${name}`)
  if (arm)
    return whyNotApplied(test) === null && test.appliedArm !== arm
      ? {
          name: 'apply',
          view: h(ApplyTest, {
            id: test.id,
            title: test.title,
            arm,
            facts: await applyFacts(api, test, arm, today),
          }),
        }
      : null
  if (ask === 'phone' && test.status !== 'Ended') return { name: 'phone', view: h(TestPhone, test) }
  return ask === 'variant' && test.status === 'OnHold' && targetKind(test.kind)
    ? variantDialog(api, test)
    : null
}

/** What is known in advance about what applying the arm will change. */
async function applyFacts(api: Api, test: Test, arm: Arm, today: string): Promise<ApplyFacts> {
  const { id, kind } = test
  const target = targetKind(kind)
  const [{ lack, byScript }, states, themes, count, repriced] = await Promise.all([
    api.applyLack({ params: { id }, query: { arm } }),
    target ? api.templatesExist({ params: { id } }) : null,
    kind === 'Theme' ? api.themes({}) : [],
    kind === 'Price'
      ? closedIs(null, outcomes.product(api.countProducts({ params: { a: 'test', b: id } })))
      : null,
    kind === 'Price' && arm === 'variant' ? closedIs([], repricedIn(api, id)) : [],
  ])
  const state = states?.[arm]
  // Applying makes a template of ours again that was deleted when the test ended, so it need not
  // exist. The control must exist only in a theme test.
  const isNeeded =
    arm === 'variant' ? !(target === 'template' && test.variant?.isOurs) : kind === 'Theme'
  return {
    test,
    today,
    verdict: test.summary.verdict.kind,
    assigned: states?.control.assignedCount ?? null,
    products: count?.count ?? null,
    repriced,
    lack,
    byScript,
    missing: isNeeded && state && !state.exists ? state.message : null,
    themeName: themeId => themes.find(each => each.id === themeId)?.name ?? 'a theme that is gone',
  }
}

/**
 * Without price testing the products of a test cannot be read. An arm can still be applied
 * (decision 058), so the dialog opens and does not say how many products there are.
 */
const closedIs = async <T, U>(unread: U, read: Promise<T>): Promise<T | U> =>
  read.catch((error: unknown) => {
    if (error instanceof HttpProblem && error.status === 403) return unread
    throw error
  })

/** Messages about tested prices that the shop has changed meanwhile, from the shop's own check. */
async function repricedIn(api: Api, id: string): Promise<string[]> {
  const changed = (
    await outcomes.product(api.validateTestProducts({ params: { id } }))
  ).problems.filter(({ cause }) => cause === 'priceChanged')
  const tested = new Set<string>()
  for (let page = 0, pages = 1; changed.length > 0 && page < pages; page++) {
    const { products, totalPages } = await outcomes.product(
      api.testProducts({ params: { id }, query: { page, limit: 100 } }),
    )
    for (const { variants } of products)
      for (const variant of variants) if (isTested(variant)) tested.add(variant.id)
    pages = totalPages
  }
  return changed
    .filter(({ variantId }) => variantId !== null && tested.has(variantId))
    .map(({ message }) => message)
}

/**
 * The dialog that replaces the variant of a test on hold, with the shop's templates or themes to
 * choose from. A dialog with a typed `form` opens without them when the shop does not answer, and
 * offers what was chosen before.
 */
export async function variantDialog(
  api: Api,
  test: Test,
  over: { form?: VariantForm; problems?: FieldProblem[] } = {},
): Promise<OpenDialog> {
  const kind = targetKind(test.kind)!
  let isUnread = false
  const read = <T>(list: Promise<T[]>): Promise<T[]> =>
    list.catch((error: unknown) => {
      if (!over.form || !isShopSilent(error)) throw error
      isUnread = true
      return []
    })
  const [templates, themes] = await Promise.all([
    kind === 'template' && test.control?.templateType
      ? read(api.templates({ query: { type: test.control.templateType } }))
      : [],
    kind === 'theme' ? read(api.themes({})) : [],
  ])
  const form = over.form ?? {
    choice: 'anew',
    suffix: '',
    themeId: test.variant?.themeId ?? '',
    redirectTestUrl: test.redirectUrl,
  }
  const choices = isUnread
    ? chosenBefore(form)
    : {
        suffixes: templates
          .map(({ suffix }) => suffix)
          .filter(suffix => suffix && suffix !== test.control?.suffix),
        themes: themes.filter(({ id, role }) => role !== 'live' && id !== test.control?.themeId),
      }
  return {
    name: 'variant',
    view: h(TestVariant, {
      test,
      kind,
      form,
      choices,
      ...(over.problems && { problems: over.problems }),
    }),
  }
}

/** What was chosen in the form, while the shop does not tell what else there is. */
const chosenBefore = ({ suffix, themeId }: VariantForm): VariantChoices => ({
  suffixes: suffix ? [suffix] : [],
  themes: themeId ? [{ id: themeId, name: 'The theme that you chose' }] : [],
  isUnread: true,
})
