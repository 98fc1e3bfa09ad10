import type { Test } from '../../domain/tests/ab-test.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { shopTime } from '../../domain/stores/shop-time.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Close } from '../modal.tsx'

/** In the shop's time zone, in the form of a datetime-local field; '' for none. */
export type ScheduleForm = { launchAt: string; automaticallyEndAt: string }
type ScheduleProps = {
  test: Pick<Test, 'id' | 'status' | 'launchAt' | 'automaticallyEndAt'>
  timeZone: string
  typed?: ScheduleForm
  problems?: FieldProblem[]
  /** A link asked for it. */
  isOpen?: boolean
}

export const scheduleFormOf = (
  { launchAt, automaticallyEndAt }: Pick<Test, 'launchAt' | 'automaticallyEndAt'>,
  timeZone: string,
): ScheduleForm => {
  const time = (instant: string | null) => (instant ? shopTime(instant, timeZone) : '')
  return { launchAt: time(launchAt), automaticallyEndAt: time(automaticallyEndAt) }
}

/** The dialog for when a scheduled test starts, and when a test ends automatically. */
export function TestSchedule({
  test,
  timeZone,
  typed = scheduleFormOf(test, timeZone),
  problems = [],
  isOpen = problems.length > 0,
}: ScheduleProps) {
  return (
    <dialog id="schedule-test" aria-labelledby="schedule-title" open={isOpen}>
      <form class="modal" method="post" action={paths.testAct(test.id, 'schedule')}>
        <h2 id="schedule-title">Schedule</h2>
        {test.status === 'Scheduled' && (
          <DraftField
            name="launchAt"
            label="Starts"
            problems={problems}
            control={bound => (
              <input {...bound} type="datetime-local" value={typed.launchAt} required />
            )}
          />
        )}
        <DraftField
          name="automaticallyEndAt"
          label="Automatic end"
          problems={problems}
          help="Leave it empty to end the test yourself. This does not change the planned end, when we decide the verdict."
          control={bound => (
            <input {...bound} type="datetime-local" value={typed.automaticallyEndAt} />
          )}
        />
        <p class="note">Times are in your shop’s time zone ({timeZone.replaceAll('_', ' ')}).</p>
        <footer>
          <Close href={paths.report(test.id)}>Cancel</Close>
          <button>Save schedule</button>
        </footer>
      </form>
    </dialog>
  )
}
