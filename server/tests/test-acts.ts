import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import { arms } from '../../domain/arm.ts'
import type { Input } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { instantOf } from '../../domain/stores/shop-time.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import {
  scheduleFormOf,
  TestSchedule,
  type ScheduleForm,
} from '../../views/tests/test-schedule.tsx'
import type { VariantForm } from '../../views/tests/test-variant.tsx'
import { refused, type Act } from './ab-tests.ts'
import { backTo } from './list-state.ts'
import { seeOther } from '../page/page.ts'
import { variantDialog } from '../reports/report-asks.ts'
import { report } from '../reports/reports.ts'
import { isShopSilent, unanswered } from '../upstream/api-outcomes.ts'
import { sharedFlights } from '../upstream/shared-flight.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** The most ids of deleted tests that are remembered. */
const remembered = 500

/** Further acts on a launched test: apply, duplicate, delete, schedule, and replace the variant. */
export function testActs(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.post<Act>(paths.testAct(':id', 'apply'), async (request, reply) => {
    const {
      params: { id },
      body,
    } = request
    const arm = arms.find(name => name === body.arm)
    if (!arm) throw new HttpProblem(400, 'Say which arm to apply: control or variant.')
    try {
      const test = await apiOf(request).applyTest({ params: { id }, body: { arm } })
      toast(request, reply, appliedWords(test), isPartly(test) ? 'bad' : 'good')
    } catch (error) {
      return refused(request, reply, clock, error)
    }
    return seeOther(request, reply, backTo(body.back) ?? paths.report(id))
  })

  // A double click makes one copy.
  const copying = sharedFlights<string>()
  app.post<Act>(paths.testAct(':id', 'duplicate'), async (request, reply) => {
    const { id } = request.params
    try {
      return seeOther(
        request,
        reply,
        paths.draft(
          await copying(
            `${storeOf(request).id} ${id}`,
            async () => (await apiOf(request).duplicateTest({ params: { id } })).id,
          ),
        ),
      )
    } catch (error) {
      // The plan no longer includes this kind of test.
      if (error instanceof HttpProblem && error.status === 403)
        return refused(request, reply, clock, new HttpProblem(409, error.message))
      return refused(request, reply, clock, error)
    }
  })

  // The second request of a double click finds the test gone, which is what the merchant wanted.
  // Any other missing test is an error.
  const deleted = new Set<string>()
  app.post<Act>(paths.testAct(':id', 'delete'), async (request, reply) => {
    const {
      params: { id },
      body,
    } = request
    const api = apiOf(request),
      key = `${storeOf(request).id} ${id}`
    if (deleted.has(key)) return seeOther(request, reply, backTo(body.back) ?? paths.home())
    try {
      const { title, status } = await api.test({ params: { id } })
      await api.deleteTest({ params: { id } })
      if (deleted.size >= remembered) deleted.delete(deleted.keys().next().value!)
      deleted.add(key)
      toast(request, reply, `“${title}” is deleted.`)
      return seeOther(request, reply, backTo(body.back) ?? paths.tests(status))
    } catch (error) {
      return refused(request, reply, clock, error)
    }
  })

  app.post<Act>(paths.testAct(':id', 'schedule'), async (request, reply) => {
    const {
      params: { id },
      body,
    } = request
    const { timeZone } = storeOf(request)
    const test = await apiOf(request).test({ params: { id } })
    const stands = scheduleFormOf(test, timeZone)
    const typed: ScheduleForm = {
      launchAt: textOf(body.launchAt) ?? stands.launchAt,
      automaticallyEndAt: textOf(body.automaticallyEndAt) ?? stands.automaticallyEndAt,
    }
    const { schedule, problems } = scheduleFrom(typed, stands, timeZone)
    const again = (found: FieldProblem[]) =>
      report(request, reply.code(422), clock, {
        dialog: {
          name: 'schedule',
          view: h(TestSchedule, { test, timeZone, typed, problems: found }),
        },
      })
    if (problems.length > 0) return again(problems)
    try {
      await apiOf(request).scheduleTest({ params: { id }, body: schedule })
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 400 && error.fields.length > 0)
        return again(error.fields)
      return refused(request, reply, clock, error)
    }
    toast(request, reply, 'The schedule is saved.')
    return seeOther(request, reply, paths.report(id))
  })

  app.post<Act>(paths.testAct(':id', 'variant'), async (request, reply) => {
    const {
      params: { id },
      body,
    } = request
    const test = await apiOf(request).test({ params: { id } })
    const form: VariantForm = {
      choice: body.choice === 'other' ? 'other' : 'anew',
      suffix: textOf(body.suffix) ?? '',
      themeId: textOf(body.themeId) ?? '',
      redirectTestUrl: textOf(body.redirectTestUrl) ?? '',
    }
    try {
      await apiOf(request).setTestVariant({ params: { id }, body: variantFrom(test, form) })
    } catch (error) {
      const isSilent = isShopSilent(error)
      if (
        !(error instanceof HttpProblem) ||
        !(isSilent || error.status === 400) ||
        test.status !== 'OnHold' ||
        !targetKind(test.kind)
      )
        return refused(request, reply, clock, asConflict(error))
      const problems =
        error.fields.length > 0
          ? error.fields
          : [{ field: fieldOf(test), message: isSilent ? silentVariant(error) : error.message }]
      return report(request, reply.code(422), clock, {
        dialog: await variantDialog(apiOf(request), test, { form, problems }),
      })
    }
    toast(request, reply, 'The variant is set. Resume the test when it looks right.')
    return seeOther(request, reply, paths.report(id))
  })
}

const silentVariant = (error: unknown): string =>
  unanswered(
    error,
    'Your shop did not answer, so the variant may not be set. Try again in a minute.',
    'Until then, the variant may not be set.',
  )

/**
 * What applying an arm has changed, and what it could not change: the engine records it as the last
 * change.
 */
const lastChange = (test: Test): string =>
  test.events.findLast(
    ({ kind, detail }) => kind === 'Modified' && / applied| switched on/.test(detail ?? ''),
  )?.detail ?? ''
const isPartly = (test: Test): boolean => lastChange(test).includes(', but')
const appliedWords = (test: Test): string => `${lastChange(test) || 'Applied'}.`

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.trim() : undefined
/**
 * Turns a 400, such as a field of another kind of test, into a 409: the report has no such field,
 * so `refused` shows the message above it.
 */
const asConflict = (error: unknown): unknown =>
  error instanceof HttpProblem && error.status === 400 ? new HttpProblem(409, error.message) : error

/**
 * Only changed times are sent: a field holds whole minutes, and the stored time may have seconds.
 */
function scheduleFrom(
  typed: ScheduleForm,
  stands: ScheduleForm,
  timeZone: string,
): { schedule: Input<'scheduleTest'>['body']; problems: FieldProblem[] } {
  const schedule: Input<'scheduleTest'>['body'] = {},
    problems: FieldProblem[] = []
  for (const field of ['launchAt', 'automaticallyEndAt'] as const) {
    if (typed[field] === stands[field]) continue
    const at = typed[field] ? instantOf(typed[field], timeZone) : null
    if (typed[field] && !at) problems.push({ field, message: 'Write it as a day and a time.' })
    else schedule[field] = at?.toISOString() ?? null
  }
  return { schedule, problems }
}

function variantFrom(
  { kind }: Test,
  { choice, suffix, themeId, redirectTestUrl }: VariantForm,
): Input<'setTestVariant'>['body'] {
  switch (targetKind(kind)) {
    case 'theme':
      return themeId ? { themeId } : {}
    case 'url':
      return redirectTestUrl ? { redirectTestUrl } : {}
    default:
      return choice === 'other' ? { suffix } : {}
  }
}
const fieldOf = ({ kind }: Test) =>
  ({ theme: 'themeId', url: 'redirectTestUrl', template: 'suffix' })[targetKind(kind) ?? 'template']
