import { formatMoment } from '../../domain/figures.ts'
import { isFinished } from '../../domain/jobs/job.ts'
import { paths } from '../../domain/paths.ts'
import type { Recount, StaffStorePage } from '../../domain/staff/staff-overview.ts'
import { Confirm } from '../confirm.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'

/** What the page's address asks to confirm: a recount of the store, or of the test with this id. */
export type RecountAsked = { test: string | null } | null

const cardId = 'figures'

/**
 * Figures that are counted again from the stored events: the button, what runs now, and the last
 * runs. Fetched again every two seconds while a recount runs. Without scripts: reload.
 */
export function FiguresCard({
  store: { trial, health, recounts },
  now,
}: {
  store: StaffStorePage
  now: Date
}) {
  const page = paths.admin('stores/trials', trial.id),
    isRunning = recounts.some(({ status }) => !isFinished(status))
  return (
    <section
      class="card"
      id={cardId}
      aria-labelledby="figures-title"
      {...(isRunning && {
        'hx-get': page,
        'hx-trigger': 'every 2s',
        'hx-target': `#${cardId}`,
        'hx-select': `#${cardId}`,
        'hx-swap': 'outerHTML show:none',
      })}
    >
      <div class="card-head">
        <h2 id="figures-title">Figures</h2>
        {health.status === 'installed' && (
          <span class="row">
            <a class="button secondary small" {...opens('recount', asking(page, 'recount'))}>
              Count again…
            </a>
          </span>
        )}
      </div>
      {recounts.length === 0 ? (
        <p class="card-body muted">
          Staff have not asked for a recount in the last 30 days. Every night the figures are
          compared with the stored events.
        </p>
      ) : (
        <div class="table-scroll">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Asked (UTC)</th>
                <th scope="col">By</th>
                <th scope="col">What</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {recounts.map(recount => (
                <tr key={recount.id}>
                  <td>{formatMoment(recount.askedAt, 'UTC', now)}</td>
                  <td>{recount.by ?? '–'}</td>
                  <td class="wraps">
                    {recount.isWholeStore ? 'All figures' : (recount.test ?? 'A deleted test')}
                  </td>
                  <td class="wraps">
                    <RecountState recount={recount} now={now} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const looks: Record<Recount['status'], { tone: string; icon: IconName; label: string }> = {
  queued: { tone: 'neutral', icon: 'clock', label: 'Waiting' },
  active: { tone: 'accent', icon: 'clock', label: 'Running' },
  updated: { tone: 'accent', icon: 'clock', label: 'Running' },
  completed: { tone: 'good', icon: 'check', label: 'Done' },
  errored: { tone: 'bad', icon: 'warning', label: 'Failed' },
}

function RecountState({ recount, now }: { recount: Recount; now: Date }) {
  const { tone, icon, label } = looks[recount.status],
    percent = Math.floor(recount.progress * 100)
  return (
    <>
      <span class="status" data-tone={tone} role="status">
        <Icon name={icon} />
        {isFinished(recount.status)
          ? `${label}, ${formatMoment(recount.updatedAt, 'UTC', now)}`
          : `${label}, ${percent}%`}
      </span>
      {recount.message && <span class="cell-sub">{recount.message}</span>}
    </>
  )
}

/**
 * Asks before a recount: of the store, or of the test that the address names. They are outside of
 * the card, which is fetched again while a recount runs.
 */
export function RecountDialogs({
  store: { trial, health, tests },
  asked,
}: {
  store: StaffStorePage
  asked: RecountAsked
}) {
  if (health.status !== 'installed') return null
  const test = tests.find(({ id }) => id === asked?.test)
  return (
    <>
      <RecountDialog store={trial} isOpen={asked !== null && asked.test === null} />
      {test && <RecountDialog store={trial} test={test} isOpen />}
    </>
  )
}

type DialogProps = {
  store: { id: string; name: string }
  test?: { id: string; title: string }
  isOpen: boolean
}
const RecountDialog = ({ store, test, isOpen }: DialogProps) => (
  <Confirm
    id={test ? 'recount-test' : 'recount'}
    title={test ? `Count “${test.title}” again?` : 'Count all figures again?'}
    action={paths.recount(store.id)}
    closed={paths.admin('stores/trials', store.id)}
    act="Count again"
    keep="Not now"
    tone="primary"
    fields={test ? { test: test.id } : {}}
    isOpen={isOpen}
  >
    The figures are computed again from the stored events of {store.name}, in the background. Its
    new events wait meanwhile: browsers keep them and send them again. On the embedded database
    other requests wait too. A test whose first events are no longer kept stays as it was counted.
  </Confirm>
)

/** The link that asks to count a test of this page again. */
export const RecountLink = ({
  storeId,
  test,
}: {
  storeId: string
  test: { id: string; title: string }
}) => (
  <a
    class="button secondary small"
    href={`${asking(paths.admin('stores/trials', storeId), 'recount')}&test=${test.id}`}
    aria-label={`Count “${test.title}” again`}
  >
    Count again…
  </a>
)
