import type { Attention } from '../domain/attention.ts'
import { paths } from '../domain/paths.ts'
import { Icon } from './icons.tsx'
import { AttentionItem } from './settings-notifications.tsx'

type StoppedProps = { attention: Attention[]; timeZone: string; back: string; /** Up to when they are told of here. */ seen: { onHold: string; suspended: string } }

/** Over the list: what the system has stopped since this browser last put such a notice away. */
export const TestsStopped = ({ attention, timeZone, back, seen }: StoppedProps) => (
  <section class="stack" aria-label="Stopped since you last looked">
    <ul class="stack plain-list">{attention.slice(0, told).map(each => <AttentionItem key={each.id} attention={each} timeZone={timeZone} back={back} />)}</ul>
    <form class="row" method="post" action={paths.seenStopped()}>
      {Object.entries({ ...seen, back }).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
      <button class="quiet small"><Icon name="close" />{attention.length === 1 ? 'Dismiss this notice' : 'Dismiss these notices'}</button>
      {attention.length > told && <a class="note" href={paths.settings('notifications')}>and {attention.length - told} more under Notifications</a>}
    </form>
  </section>
)
const told = 3
