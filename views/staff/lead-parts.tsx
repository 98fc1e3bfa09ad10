import { formatCount, formatMoment } from '../../domain/figures.ts'
import {
  type Lead,
  type LeadMailing,
  leadMailProblem,
  type LeadMailState,
  type LeadState,
  leadStateLabels,
} from '../../domain/staff/staff-leads.ts'
import { Icon, type IconName } from '../icons.tsx'

const looks: Record<LeadState, { tone: string; icon: IconName }> = {
  open: { tone: 'warn', icon: 'clock' },
  answered: { tone: 'good', icon: 'check' },
  closed: { tone: 'neutral', icon: 'close' },
}

/** The state of a request, and below it who set it, or that its mail was not sent. */
export const LeadBadge = ({ lead: { state, changed, mail }, now }: { lead: Lead; now: Date }) => (
  <>
    <span class="status" data-tone={looks[state].tone}>
      <Icon name={looks[state].icon} />
      {leadStateLabels[state]}
    </span>
    {changed && <span class="cell-sub">{changeText(changed, now)}</span>}
    {state === 'open' && mail === 'failing' && <span class="cell-sub">{leadMailWords[mail]}</span>}
  </>
)

export const changeText = ({ at, by }: NonNullable<Lead['changed']>, now: Date): string =>
  `${by ?? 'Asked again'}, ${formatMoment(at, 'UTC', now)}`

export const leadMailWords: Record<LeadMailState, string> = {
  sent: 'Mailed',
  waiting: 'Mail is being sent',
  failing: 'Not mailed yet, tried again every hour',
  off: 'Not mailed',
}

/** Says that requests are not mailed, and what to do; nothing when they are. */
export function LeadMailBanner({ mailing, failing }: { mailing: LeadMailing; failing: number }) {
  const problem = leadMailProblem(mailing)
  if (problem === null && failing === 0) return null
  return (
    <section class="banner" data-tone="warn" aria-label="Mails about plan requests">
      <Icon name="warning" />
      <p>
        {problem ? (
          <>
            <strong>Plan requests are not mailed.</strong> {problem} No request is lost.
          </>
        ) : (
          <>
            <strong>
              {failing === 1
                ? 'One plan request could not be mailed yet.'
                : `${formatCount(failing)} plan requests could not be mailed yet.`}
            </strong>{' '}
            The mail server did not take the mail to {mailing.address}. It is tried again every
            hour, and the log says why it failed.
          </>
        )}
      </p>
    </section>
  )
}

/** The beginning of a note; its page has all of it. */
export const shortened = (note: string): string =>
  note.length > 90 ? `${note.slice(0, 80)}…` : note
