import type { Updateable } from 'kysely'
import { samePageMessage, type TestDraft } from '../../domain/drafts/draft.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { circleProblem } from '../../domain/tests/redirect-chains.ts'
import { leadsElsewhere } from '../../domain/tests/redirect-url.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { liveIsNoVariant, targetKind, themeTarget } from '../../domain/tests/test-target.ts'
import { statusLabels } from '../../domain/tests/test-status.ts'
import type { AnswerTest } from './ab-tests-answer.ts'
import { armStates } from './arm-states.ts'
import type { EngineContext } from '../context.ts'
import type { TestsTable } from '../db/schema.ts'
import { copyToDraft } from '../drafts/draft-copies.ts'
import { fileOf, isOurFile, refused, templateVariant } from '../drafts/draft-target-templates.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { redirectsOf } from './exclusion.ts'
import { findTemplate, liveTheme } from '../themes/live-templates.ts'
import { requireNeed } from '../platform/store-capabilities.ts'
import { requireTestedPage } from '../drafts/tested-page.ts'
import { type Caller, knownId, notFound, type Serve } from '../http/routes.ts'
import { heldTest, requireRoomForChange, type TestRow } from './test-statuses.ts'
import { themeLacks } from '../themes/themes.ts'
import type { Input } from '../../domain/api/contract.ts'

type Columns = Updateable<TestsTable>

/**
 * The API for the arms of a launched test: whether the shop still has what they show, another
 * variant for a test on hold, and a draft copied from the test.
 */
export function testVariants(
  serve: Serve,
  context: EngineContext,
  answer: AnswerTest,
  draft: (storeId: string, id: string) => Promise<TestDraft>,
): void {
  const {
    db: { kysely },
    platform,
    journal,
    clock,
  } = context

  serve('templatesExist', async ({ params: { id } }, { storeId }) =>
    armStates(context, await shopHosts(kysely, storeId), await requireTest(storeId, id)),
  )

  serve('duplicateTest', async ({ params: { id } }, caller) => {
    const test = await requireTest(caller.storeId, id)
    return draft(caller.storeId, await copyToDraft(context, caller, test, test.test_id))
  })

  serve('setTestVariant', async ({ params: { id }, body }, caller) => {
    const { storeId } = caller
    const test = await requireTest(storeId, id)
    const kind = targetKind(test.kind)
    if (!kind)
      throw refused(
        'kind',
        `${testKinds[test.kind].label} tests have no template, theme or page of their own to choose.`,
      )
    if (test.status !== 'OnHold') throw notOnHold(test)
    if (body.granular)
      throw refused('granular', 'You cannot change who takes part in a launched test.')
    // Asked before anything is made in the shop, and once more while the test is held.
    await requireRoomForChange(kysely, test)
    const columns = await choose[kind](caller, test, body)
    await kysely.transaction().execute(async trx => {
      const held = await heldTest(trx, storeId, test.test_id)
      if (held?.status !== 'OnHold') throw notOnHold(held ?? test)
      await requireRoomForChange(trx, test)
      const now = clock()
      await trx
        .updateTable('tests')
        .set({ ...columns, updated_at: now })
        .where('store_id', '=', storeId)
        .where('test_id', '=', test.test_id)
        .execute()
      await trx
        .insertInto('test_events')
        .values({
          store_id: storeId,
          test_id: test.test_id,
          kind: 'Modified',
          at: now,
          detail: 'Variant set anew',
          value: null,
          mark: null,
        })
        .execute()
    })
    return answer(storeId, test.test_id)
  })

  type Choose = (
    caller: Caller,
    test: TestRow,
    body: Input<'setTestVariant'>['body'],
  ) => Promise<Columns>
  const choose: Record<'template' | 'theme' | 'url', Choose> = {
    url: async ({ storeId }, test, { redirectTestUrl }) => {
      const redirect_url = await requireTestedPage(
        context,
        storeId,
        redirectTestUrl ?? test.redirect_url,
        'redirectTestUrl',
      )
      if (!leadsElsewhere(test.control_url, redirect_url))
        throw refused('redirectTestUrl', samePageMessage)
      const others = (await redirectsOf(kysely, storeId)).filter(({ id }) => id !== test.test_id)
      const circle = circleProblem({ control: test.control_url, variant: redirect_url }, others)
      if (circle) throw refused('redirectTestUrl', circle)
      return { redirect_url }
    },
    theme: async ({ shop }, test, { themeId = test.variant_target?.themeId }) => {
      const theme = (await platform.themes(shop)).find(each => each.id === themeId)
      if (!theme) throw refused('themeId', 'The shop has no such theme. Choose another.')
      if (theme.id === test.control_target?.themeId)
        throw refused('themeId', 'The variant must be another theme than the control.')
      if (theme.role === 'live') throw refused('themeId', liveIsNoVariant)
      const lacks = await themeLacks(platform, shop, theme)
      if (lacks) throw refused('themeId', `${lacks} Add them to it, or choose another theme.`)
      return { variant_target: JSON.stringify({ ...themeTarget(theme.id), hash: null }) }
    },
    template: async ({ storeId, shop }, test, body) => {
      const made = test.variant_target
      if (body.suffix !== undefined || !made)
        return asColumns(
          (
            await templateVariant(
              context,
              { storeId, shop, testId: test.test_id },
              test.control_target,
              body,
            )
          ).target,
        )
      const type = made.templateType!
      const theme = await liveTheme(platform, shop)
      const there = await findTemplate(platform, shop, theme.id, type, made.suffix!)
      if (there) return {}
      const name = fileOf(made),
        written = isOurFile(made) ? await journal.lastWritten(storeId, test.test_id, name) : null
      if (written === null)
        return asColumns(
          (
            await templateVariant(
              context,
              { storeId, shop, testId: test.test_id },
              test.control_target,
              {},
            )
          ).target,
        )
      await requireNeed(context, shop, 'restoreTemplate')
      // Write it as we last wrote it, under its old name, so that links to it still work.
      await journal.writeFiles({
        storeId,
        testId: test.test_id,
        themeId: theme.id,
        files: [{ name, body: written }],
      })
      return {}
    },
  }

  async function requireTest(storeId: string, id: string): Promise<TestRow> {
    const test = await kysely
      .selectFrom('tests')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('test_id', '=', knownId(id, 'test'))
      .executeTakeFirst()
    if (!test) throw notFound('test')
    return test
  }
}

const asColumns = (target: object): Columns => ({ variant_target: JSON.stringify(target) })
const notOnHold = ({ status }: TestRow) =>
  new HttpProblem(
    409,
    `Only the variant of a test on hold can be recreated or replaced; this one is ${statusLabels[status].toLowerCase()}.`,
  )
