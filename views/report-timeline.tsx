import type { Test, TestEvent } from '../domain/ab-test.ts'
import { formatCount, formatLift, formatMoment } from '../domain/figures.ts'
import { Icon, type IconName } from './icons.tsx'

type Line = { title: string; detail: string | null; icon: IconName; tone?: 'good' | 'bad' | 'warn' | 'accent' }

/** What happened to a test, newest first, in plain words. */
export function ReportTimeline({ test, timeZone }: { test: Test; timeZone: string }) {
  const events = test.events.map((event, i) => ({ event, line: lineOf(event, test.events.slice(0, i)) })).reverse()
  return (
    <section class="card" aria-labelledby="events">
      <div class="card-head"><h2 id="events">Events</h2></div>
      <ol class="timeline">
        {events.map(({ event, line }, i) => (
          <li key={i} data-tone={line.tone}>
            <Icon name={line.icon} /><b>{line.title}</b>
            {line.detail && <span class="muted">{line.detail}</span>}
            <time datetime={event.at}>{formatMoment(event.at, timeZone)}</time>
          </li>
        ))}
      </ol>
    </section>
  )
}

const shares: Record<string, string> = { '0.25': 'A quarter', '0.5': 'Half', '0.75': 'Three quarters', '1': 'All' }

/** The spec's event kinds as sentences. There is no kind for resuming: a start after an earlier one is that. */
function lineOf({ kind, detail, value }: TestEvent, earlier: TestEvent[]): Line {
  switch (kind) {
    case 'Created': return { title: 'Created', detail, icon: 'plus' }
    case 'Modified': return { title: 'Modified', detail, icon: 'pencil' }
    case 'Start': return { title: earlier.some(e => e.kind === 'Start') ? 'Resumed' : 'Started', detail, icon: 'play', tone: 'accent' }
    case 'Paused': return { title: 'Paused', detail, icon: 'pause', tone: 'warn' }
    case 'End': return { title: 'Ended', detail, icon: 'stop' }
    case 'Lift': return { title: 'Verdict reached', detail: detail ?? (value === null ? null : `Lift ${formatLift(value)}`), icon: 'flag', tone: 'accent' }
    case 'Progress': return { title: `${shares[String(value)] ?? 'A part'} of the planned visitors`, detail, icon: 'clock' }
    case 'Duration': return { title: 'Planned end reached', detail, icon: 'flag' }
    case 'Visitors': return { title: `${formatCount(value ?? 0)} visitors`, detail, icon: 'person' }
  }
}
