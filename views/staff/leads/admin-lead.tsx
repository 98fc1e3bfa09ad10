import { formatMoment } from '../../../domain/figures.ts'
import { paths } from '../../../domain/paths.ts'
import type { FieldProblem } from '../../../domain/problem.ts'
import {
  type Lead,
  leadStateLabels,
  leadStates,
  leadViaWords,
  longestNote,
} from '../../../domain/staff/staff-leads.ts'
import { changeText, LeadBadge, leadMailWords } from '../lead-parts.tsx'
import { DraftField, DraftGroup } from '../../drafts/draft-field.tsx'
import { Icon } from '../../icons.tsx'
import { SampleLabel } from '../../sample-label.tsx'

export type LeadPageProps = {
  lead: Lead
  /** What is in the form: what is stored, or what was refused. */
  typed: { state: string; note: string }
  problems: FieldProblem[]
  now: Date
}

/** One request: who asks, how to answer, and what staff have noted. */
export const LeadPage = ({ lead, typed, problems, now }: LeadPageProps) => (
  <>
    <div class="page-head">
      <a class="back-link" href={paths.admin('leads')}>
        Plan requests
      </a>
      <h1>{lead.name || lead.email}</h1>
      <SampleLabel isDemo={lead.store.isDemo} />
    </div>
    <div class="columns">
      <section class="card" aria-labelledby="lead-facts">
        <div class="card-head">
          <h2 id="lead-facts">Request</h2>
        </div>
        <dl class="card-body facts">
          <div>
            <dt>State</dt>
            <dd>
              <LeadBadge lead={{ ...lead, changed: null }} now={now} />
            </dd>
          </div>
          <div>
            <dt>Store</dt>
            <dd>
              <a href={paths.admin('stores/trials', lead.store.id)}>{lead.store.name}</a>
              <span class="cell-sub wraps">{lead.store.shop}</span>
            </dd>
          </div>
          <div>
            <dt>Name</dt>
            <dd>{lead.name || 'Not given'}</dd>
          </div>
          <div>
            <dt>E-mail</dt>
            <dd>
              <a href={letterTo(lead.email)}>{lead.email}</a>
            </dd>
          </div>
          <div>
            <dt>Asked</dt>
            <dd>
              {formatMoment(lead.at, 'UTC', now)} UTC
              {lead.askedAt !== lead.at && (
                <span class="cell-sub">Last on {formatMoment(lead.askedAt, 'UTC', now)}</span>
              )}
            </dd>
          </div>
          <div>
            <dt>How</dt>
            <dd>{leadViaWords[lead.via]}</dd>
          </div>
          <div>
            <dt>Mail to us</dt>
            <dd>{leadMailWords[lead.mail]}</dd>
          </div>
          <div>
            <dt>Last change</dt>
            <dd>{lead.changed ? changeText(lead.changed, now) : 'None yet'}</dd>
          </div>
        </dl>
      </section>
      <section class="card" aria-labelledby="lead-answer">
        <div class="card-head">
          <h2 id="lead-answer">Answer</h2>
        </div>
        <div class="card-body stack">
          <p class="muted">
            {lead.via === 'booking'
              ? 'The merchant was shown your scheduler. Look there first: we do not learn whether they booked.'
              : 'The merchant was told that we write to them.'}
          </p>
          <div class="row">
            <a class="button secondary" href={letterTo(lead.email)}>
              Write an email
              <Icon name="external" />
            </a>
          </div>
          <form class="stack" method="post" action={paths.lead(lead.store.id, lead.id)}>
            <input type="hidden" name="changedAt" value={lead.changed?.at ?? ''} />
            <DraftGroup name="state" label="State" problems={problems}>
              <div class="segmented">
                {leadStates.map(state => (
                  <label key={state}>
                    <input
                      type="radio"
                      name="state"
                      value={state}
                      checked={state === typed.state}
                    />
                    {leadStateLabels[state]}
                  </label>
                ))}
              </div>
            </DraftGroup>
            <DraftField
              name="note"
              label="Note"
              help="For staff only. It is erased with the shop’s contacts when the shop leaves."
              problems={problems}
              control={bound => (
                <textarea {...bound} rows={5} maxLength={longestNote}>
                  {typed.note}
                </textarea>
              )}
            />
            <div class="row">
              <button>Save</button>
            </div>
          </form>
        </div>
      </section>
    </div>
  </>
)

const letterTo = (email: string): string =>
  `mailto:${encodeURIComponent(email).replace('%40', '@')}?subject=${encodeURIComponent('Your Twinshelf plan')}`
