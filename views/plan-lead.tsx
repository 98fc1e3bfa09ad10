import { visitorRanges } from '../domain/lead.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import { DraftField } from './draft-field.tsx'

/** What the form holds; the range is chosen and not sent (spec §3). */
export type LeadForm = { firstName: string; lastName: string; email: string; range: string }
export type LeadProps = {
  page: string
  state: string
  leadId: string
  form: LeadForm
  problems: FieldProblem[]
  /** The request was taken: the scheduler's address, or null where none is configured. */
  booking?: { url: string | null }
}

/** The server opens it; the page's script makes it a modal one. Closing is a link, so that it closes without scripts too. */
export const PlanLead = (props: LeadProps) => (props.booking ? <Booking {...props} url={props.booking.url} /> : <Request {...props} />)

const Request = ({ page, state, leadId, form, problems }: LeadProps) => (
  <dialog open id="custom-plan" aria-labelledby="custom-plan-title">
    <form class="modal" method="post" action={paths.customRequest(page, leadId) + state} novalidate>
      <h2 id="custom-plan-title">Talk to sales</h2>
      <p class="muted">Tell us who you are and how large your shop is, and we talk about a plan for it.</p>
      <div class="lead-names">
        <DraftField name="firstName" label="First name" problems={problems} control={bound => <input {...bound} value={form.firstName} maxLength={100} autocomplete="given-name" />} />
        <DraftField name="lastName" label="Last name" problems={problems} control={bound => <input {...bound} value={form.lastName} maxLength={100} autocomplete="family-name" />} />
      </div>
      <DraftField name="email" label="Email" problems={problems} control={bound => <input {...bound} type="email" value={form.email} maxLength={320} autocomplete="email" />} />
      <DraftField
        name="range" label="Monthly visitors" problems={problems}
        control={bound => <select {...bound}>{visitorRanges.map(range => <option key={range} value={range} selected={range === form.range}>{range.replace('-', '–')}</option>)}</select>}
      />
      <footer><a class="button secondary" href={page + state}>Not now</a><button>Send request</button></footer>
    </form>
  </dialog>
)

const Booking = ({ page, state, form, url }: LeadProps & { url: string | null }) => (
  <dialog open id="custom-plan" aria-labelledby="custom-plan-title">
    <div class={url ? 'modal modal-wide' : 'modal'}>
      <h2 id="custom-plan-title">{url ? 'Choose a time to talk' : 'Your request is with us'}</h2>
      {url
        ? <iframe class="scheduler" src={url} height={700} title="Choose a time" />
        : <p class="muted">We will write to <b>{form.email}</b> about a plan for {form.range.replace('-', '–')} visitors a month. Until then nothing changes.</p>}
      <footer><a class="button secondary" href={page + state}>{url ? 'Close' : 'Back to plans'}</a></footer>
    </div>
  </dialog>
)
