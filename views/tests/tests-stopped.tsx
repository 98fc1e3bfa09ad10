import { noticeKey, type Attention } from '../../domain/tests/attention.ts'
import { paths } from '../../domain/paths.ts'
import { Icon } from '../icons.tsx'
import { Hidden } from '../list-links.tsx'
import { AttentionItem } from '../settings/settings-notifications.tsx'

type StoppedProps = {
  attention: Attention[]
  timeZone: string
  back: string
  /** The instants up to which the notices here go. */ seen: { onHold: string; suspended: string }
}

/**
 * Above the list: the tests that the system has stopped since this browser last dismissed these
 * notices.
 */
export const TestsStopped = ({ attention, timeZone, back, seen }: StoppedProps) => (
  <section class="stack" aria-label="Stopped since you last looked">
    <ul class="stack plain-list">
      {attention.slice(0, told).map(each => (
        <AttentionItem
          key={each.id}
          attention={each}
          timeZone={timeZone}
          back={back}
          dismiss={<Dismiss attention={each} back={back} />}
        />
      ))}
    </ul>
    {attention.length > 1 && (
      <form class="row" method="post" action={paths.seenStopped()}>
        <Hidden values={Object.entries({ ...seen, back })} />
        <button class="quiet small">Dismiss all {attention.length}</button>
        {attention.length > told && (
          <a class="note" href={paths.settings('notifications')}>
            and {attention.length - told} more under Notifications
          </a>
        )}
      </form>
    )}
  </section>
)
const told = 3

const Dismiss = ({ attention, back }: { attention: Attention; back: string }) => (
  <form method="post" action={paths.seenStopped()}>
    <Hidden
      values={[
        ['notice', noticeKey(attention)],
        ['back', back],
      ]}
    />
    <button
      class="quiet small icon-only"
      aria-label={`Dismiss: ${attention.title}`}
      title="Dismiss"
    >
      <Icon name="close" />
    </button>
  </form>
)
