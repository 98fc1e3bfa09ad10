import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount } from '../../domain/figures.ts'
import type { ChosenAct } from '../../domain/tests/list-chosen.ts'
import { paths } from '../../domain/paths.ts'
import { Confirm } from '../confirm.tsx'
import { Close } from '../modal.tsx'

/**
 * `back`: where the act leads, and the page without the dialog; without it, the test's report.
 * `isOpen`: a link asked for the dialog.
 */
type DialogProps = {
  test: Pick<Test, 'id' | 'title' | 'status' | 'summary' | 'appliedArm'>
  back?: string
  isOpen?: boolean
}
const common = ({ test, back, isOpen = false }: DialogProps) => ({
  isOpen,
  closed: back ?? paths.report(test.id),
  ...(back !== undefined && { fields: { back } }),
})

export const PauseTest = (props: DialogProps) => (
  <Confirm
    id="pause-test"
    title={`Pause ${props.test.title}?`}
    action={paths.pause(props.test.id)}
    act="Pause test"
    keep="Keep running"
    tone="secondary"
    {...common(props)}
  >
    All visitors see the control at once, and nothing is counted until you resume. Each whole day of
    pause moves the planned end by a day.
  </Confirm>
)

export const StartTest = (props: DialogProps) => (
  <Confirm
    id="start-test"
    title={`Start ${props.test.title} now?`}
    action={paths.resume(props.test.id)}
    act="Start now"
    keep="Keep its date"
    tone="primary"
    {...common(props)}
  >
    Visitors see it from now on, not from its scheduled start.
  </Confirm>
)

export const EndTest = (props: DialogProps) => (
  <Confirm
    id="end-test"
    title={`End ${props.test.title}?`}
    action={paths.end(props.test.id)}
    act="End test"
    keep={props.test.status === 'Active' ? 'Keep running' : 'Keep it'}
    {...common(props)}
  >
    All visitors see the control again. The result is kept; the test cannot be started again.
    {props.test.status !== 'Scheduled' &&
      props.test.summary.verdict.reachedAt === null &&
      ' No verdict has been reached yet, so it would end without one.'}
  </Confirm>
)

/** Says what is lost, or why the test cannot be deleted now. */
export function DeleteTest(props: DialogProps) {
  const {
    test: { id, title, status, summary, appliedArm },
  } = props
  if (status === 'Active')
    return (
      <Confirm
        id="delete-test"
        title={`${title} is running`}
        action={paths.end(id)}
        act="End test"
        keep="Keep running"
        {...common(props)}
      >
        A running test cannot be deleted. End it first: all visitors see the control again, and the
        result is kept until you delete the test.
      </Confirm>
    )
  const visitors = summary.visitors[0] + summary.visitors[1]
  const counted =
    visitors > 0
      ? `the figures of ${formatCount(visitors)} ${visitors === 1 ? 'visitor' : 'visitors'}, the verdict, the order ledger`
      : 'its settings'
  return (
    <Confirm
      id="delete-test"
      title={`Delete ${title}?`}
      action={paths.testAct(id, 'delete')}
      act="Delete test"
      keep="Keep it"
      {...common(props)}
    >
      Deleted for good: its report with {counted} and its events.
      {appliedArm === 'variant'
        ? ' What was applied stays in your shop. You can no longer undo it here.'
        : ' What it changed in your shop is restored.'}{' '}
      Download its figures first if you want to keep them.
    </Confirm>
  )
}

type EndAllProps = {
  scope: 'all' | 'prices'
  tests: { id: string; title: string; status: string }[]
  back: string
  /** The tests are no longer those that the merchant confirmed. */ isChanged?: boolean
}
const named = 12
type Named = EndAllProps['tests']
const NamedTests = ({ tests }: { tests: Named }) => (
  <ul>
    {tests.slice(0, named).map(({ id, title, status }) => (
      <li key={id}>
        {title} <span class="note">{status}</span>
      </li>
    ))}
    {tests.length > named && <li class="muted">and {formatCount(tests.length - named)} more</li>}
  </ul>
)
/** Names every test that would end. */
export function EndAllTests({ scope, tests, back, isChanged = false }: EndAllProps) {
  const kind = scope === 'prices' ? 'price test' : 'test'
  if (tests.length === 0)
    return (
      <dialog id="end-all" aria-labelledby="end-all-title" open>
        <div class="modal">
          <h2 id="end-all-title">No {kind} to end</h2>
          <p class="muted">No {kind} is running, scheduled, paused, on hold or suspended.</p>
          <footer>
            <Close href={back}>Close</Close>
          </footer>
        </div>
      </dialog>
    )
  const count = tests.length === 1 ? `this ${kind}` : `all ${formatCount(tests.length)} ${kind}s`
  return (
    <Confirm
      id="end-all"
      title={`End ${count}?`}
      action={paths.endAll()}
      act={tests.length === 1 ? 'End 1 test' : `End ${formatCount(tests.length)} tests`}
      keep={tests.length === 1 ? 'Keep it' : 'Keep them'}
      isOpen
      closed={back}
      fields={{
        scope,
        back,
        ids: tests
          .map(({ id }) => id)
          .sort()
          .join(' '),
      }}
      more={<NamedTests tests={tests} />}
    >
      {isChanged && <b>The list of unfinished tests has changed since you were asked. </b>}
      All visitors see the control again
      {scope === 'prices' ? ' and every price is the shop’s own' : ''}.{' '}
      {tests.length === 1
        ? 'Its result is kept; it cannot be started again.'
        : 'Results are kept; none of them can be started again.'}
    </Confirm>
  )
}

const chosenWords: Record<
  ChosenAct,
  { verb: string; thing: string; text: (isOne: boolean) => string }
> = {
  end: {
    verb: 'End',
    thing: 'test',
    text: isOne =>
      `All visitors see the control again. ${isOne ? 'Its result is kept; it cannot be started again.' : 'Results are kept; none of them can be started again.'}`,
  },
  delete: {
    verb: 'Delete',
    thing: 'test',
    text: isOne =>
      `Deleted for good: ${isOne ? 'its report with all figures and its' : 'their reports with all figures and their'} events. Download the figures first if you want to keep them.`,
  },
  'delete-drafts': {
    verb: 'Delete',
    thing: 'draft',
    text: isOne =>
      `This deletes the ${isOne ? 'draft, its' : 'drafts, their'} settings, and what was made for ${isOne ? 'it' : 'them'} in the shop.`,
  },
}
/** Names every test or draft that was ticked in the list. */
export function ChosenTests({ act, tests, back }: { act: ChosenAct; tests: Named; back: string }) {
  const { verb, thing, text } = chosenWords[act],
    isOne = tests.length === 1
  const count = isOne ? `1 ${thing}` : `${formatCount(tests.length)} ${thing}s`
  return (
    <Confirm
      id="chosen-tests"
      title={`${verb} ${count}?`}
      action={paths.chosen(act)}
      act={`${verb} ${count}`}
      keep={isOne ? 'Keep it' : 'Keep them'}
      isOpen
      closed={back}
      fields={{ back, ids: tests.map(({ id }) => id).join(' ') }}
      more={<NamedTests tests={tests} />}
    >
      {text(isOne)}
    </Confirm>
  )
}
