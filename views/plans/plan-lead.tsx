import { visitorRanges } from '../../domain/plans/lead.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { Scheduler } from '../document.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'

/** The fields of the form. The range is chosen but not sent to the API (requirements 6.12). */
export type LeadForm = { firstName: string; lastName: string; email: string; range: string }
export type LeadProps = {
  page: string
  state: string
  leadId: string
  form: LeadForm
  problems: FieldProblem[]
  /** Whether a meeting can be booked; otherwise we write to the merchant. */
  hasScheduler: boolean
  /** The scheduler, with the merchant's name and email in its address. */
  booking?: Scheduler | undefined
  /** The request was received. */
  isSent?: boolean
}
/** The query parameters, besides `ask`, that opened the dialog. */
const asks = 'lead form'

/**
 * The dialog for a custom plan. The server sends it open; the page's script makes it modal. A link
 * closes it, so that it closes without scripts too.
 */
export const PlanLead = (props: LeadProps) =>
  props.booking ? (
    <Booking {...props} url={props.booking.url} />
  ) : props.isSent ? (
    <Sent {...props} />
  ) : (
    <Request {...props} />
  )

const Request = ({ page, state, leadId, form, problems, hasScheduler }: LeadProps) => (
  <dialog open id="custom-plan" data-asks={asks} aria-labelledby="custom-plan-title">
    <form class="modal" method="post" action={paths.customRequest(page, leadId) + state} novalidate>
      <h2 id="custom-plan-title">Talk to sales</h2>
      <p class="muted">
        {hasScheduler
          ? 'Tell us who you are and how large your shop is, then choose a time to talk about a plan for it.'
          : 'Tell us who you are and how large your shop is. We will email you about a plan for it.'}
      </p>
      <div class="lead-names">
        <DraftField
          name="firstName"
          label="First name"
          problems={problems}
          control={bound => (
            <input {...bound} value={form.firstName} maxLength={100} autocomplete="given-name" />
          )}
        />
        <DraftField
          name="lastName"
          label="Last name"
          problems={problems}
          control={bound => (
            <input {...bound} value={form.lastName} maxLength={100} autocomplete="family-name" />
          )}
        />
      </div>
      <DraftField
        name="email"
        label="Email"
        problems={problems}
        control={bound => (
          <input {...bound} type="email" value={form.email} maxLength={320} autocomplete="email" />
        )}
      />
      <DraftField
        name="range"
        label="Monthly visitors"
        problems={problems}
        control={bound => (
          <select {...bound}>
            {visitorRanges.map(range => (
              <option key={range} value={range} selected={range === form.range}>
                {range.replace('-', '–')}
              </option>
            ))}
          </select>
        )}
      />
      <footer>
        <a class="button secondary" href={page + state}>
          Not now
        </a>
        <button>{hasScheduler ? 'Choose a time' : 'Send request'}</button>
      </footer>
    </form>
  </dialog>
)

const Booking = ({ page, state, leadId, form, url }: LeadProps & { url: string }) => (
  <dialog open id="custom-plan" data-asks={asks} aria-labelledby="custom-plan-title">
    <div class="modal modal-wide">
      <h2 id="custom-plan-title" tabIndex={-1} autofocus>
        Choose a time to talk
      </h2>
      <p class="muted">
        You are booking as{' '}
        <b>{[form.firstName, form.lastName].filter(Boolean).join(' ') || form.email}</b>
        {(form.firstName || form.lastName) && <>, {form.email}</>}.{' '}
        <a
          href={`${page}?${new URLSearchParams([...new URLSearchParams(state), ['ask', 'talk'], ['lead', leadId], ['form', '1']])}`}
        >
          Book for another person
        </a>
      </p>
      <iframe class="scheduler" src={url} height={700} title="Choose a time" />
      <footer>
        <a class="button quiet" href={url} target="_blank" rel="noopener">
          Open it in a new tab
          <Icon name="external" />
        </a>
        <a class="button secondary" href={page + state}>
          Close
        </a>
      </footer>
    </div>
  </dialog>
)

const Sent = ({ page, state, form }: LeadProps) => (
  <dialog open id="custom-plan" data-asks={asks} aria-labelledby="custom-plan-title">
    <div class="modal">
      <h2 id="custom-plan-title">We have your request</h2>
      <p class="muted">
        We will write to <b>{form.email}</b> about a plan for {form.range.replace('-', '–')}{' '}
        visitors a month. Until then nothing changes.
      </p>
      <footer>
        <a class="button secondary" href={page + state}>
          Back to plans
        </a>
      </footer>
    </div>
  </dialog>
)
