import type { Test } from '../../domain/tests/ab-test.ts'
import { formatMoment } from '../../domain/figures.ts'
import { timelineOf, type TimelineMark } from '../../domain/tests/test-timeline.ts'
import { Icon, type IconName } from '../icons.tsx'

/** What happened to a test, newest first, in plain words. */
export const ReportTimeline = ({
  test,
  timeZone,
  now,
}: {
  test: Test
  timeZone: string
  now: Date
}) => (
  <section class="card" aria-labelledby="events">
    <div class="card-head">
      <h2 id="events">Events</h2>
    </div>
    <ol class="timeline">
      {timelineOf(test)
        .toReversed()
        .map(({ event, line }, i) => (
          <li key={i} data-tone={line.tone}>
            <Icon name={icons[line.mark]} />
            <b>{line.title}</b>
            {line.detail && <span class="muted">{line.detail}</span>}
            <time datetime={event.at}>{formatMoment(event.at, timeZone, now)}</time>
          </li>
        ))}
    </ol>
  </section>
)

const icons: Record<TimelineMark, IconName> = {
  created: 'plus',
  changed: 'pencil',
  started: 'play',
  stopped: 'pause',
  trouble: 'warning',
  ended: 'stop',
  verdict: 'flag',
  progress: 'clock',
  visitors: 'person',
  applied: 'check',
}
