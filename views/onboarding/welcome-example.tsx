import { liftAxis } from '../../domain/reports/lift-axis.ts'
import { Chance, Interval, IntervalAxis, Lift, VerdictBadge } from '../result.tsx'

const example = { lift: 0.128, interval: [0.046, 0.217], chanceToWin: 0.9995 } as const
const axis = liftAxis([example])

/** An example of a result, rendered like real ones. The text says that it is an example. */
export const WelcomeExample = () => (
  <aside class="welcome-aside" aria-label="What a result looks like">
    <div class="card">
      <div class="card-head">
        <h2>Reviews above the fold</h2>
        <span class="row">
          <VerdictBadge verdict={{ kind: 'winner', chanceToWin: example.chanceToWin }} />
        </span>
      </div>
      <div class="card-body stack">
        <p class="welcome-figure">
          <Lift value={example.lift} tone="good" />
          <span class="muted">more visitors buy</span>
        </p>
        <div class="welcome-interval">
          <Interval lift={example.lift} interval={example.interval} axis={axis} tone="good" />
          <IntervalAxis axis={axis} />
        </div>
        <div class="stack-tight">
          <span class="note">Chance to win</span>
          <Chance value={example.chanceToWin} tone="good" />
        </div>
      </div>
    </div>
    <p class="note">
      An example. Every test ends in one sentence that tells you what to do, and the figures behind
      it.
    </p>
  </aside>
)
