import { longestName, visitorRanges } from '../../domain/plans/lead.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { Scheduler } from '../document.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'
import { Close } from '../modal.tsx'
import { letterTo } from '../settings/settings-support.tsx'

/** The fields of the form. The range is chosen but not sent to the API (requirements 6.12). */
export type LeadForm = { firstName: string; lastName: string; email: string; range: string }
/**
 * Where to write for help, and about which shop: a store without a plan cannot open the support
 * page.
 */
export type PlanHelp = { email: string; shop: string }
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
  help: PlanHelp | null
}

/**
 * The dialog for a custom plan. The server sends it open; the page's script makes it modal.
 */
export const PlanLead = (props: LeadProps) =>
  props.booking ? (
    <Booking {...props} url={props.booking.url} />
  ) : props.isSent ? (
    <Sent {...props} />
  ) : (
    <Request {...props} />
  )

const Request = ({ page, state, leadId, form, problems, hasScheduler, help }: LeadProps) => (
  <dialog open id="custom-plan" aria-labelledby="custom-plan-title">
    <form class="modal" method="post" action={paths.customRequest(page, leadId) + state} novalidate>
      <h2 id="custom-plan-title">Talk to sales</h2>
      <p class="muted">
        {hasScheduler
          ? 'Tell us who you are and how large your shop is, then choose a time to talk about a plan for it. We keep your request in any case.'
          : 'The price of this plan is agreed with you. You cannot choose a time for a call here, so send us this form: we keep your request and email you about a plan for your shop.'}
      </p>
      <div class="lead-names">
        <DraftField
          name="firstName"
          label="First name"
          problems={problems}
          control={bound => (
            <input
              {...bound}
              value={form.firstName}
              maxLength={longestName}
              autocomplete="given-name"
            />
          )}
        />
        <DraftField
          name="lastName"
          label="Last name"
          problems={problems}
          control={bound => (
            <input
              {...bound}
              value={form.lastName}
              maxLength={longestName}
              autocomplete="family-name"
            />
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
      {help && (
        <p class="note">
          <Address help={help} />
        </p>
      )}
      <footer>
        <Close href={page + state}>Not now</Close>
        <button>{hasScheduler ? 'Choose a time' : 'Send request'}</button>
      </footer>
    </form>
  </dialog>
)

/** The other way to reach us; nothing when no address is configured. */
const Address = ({ help }: { help: PlanHelp | null }) =>
  help && (
    <>
      {' '}
      You can also write to{' '}
      <a href={letterTo(help.email, [`Shop: ${help.shop}`])} target="_top">
        {help.email}
      </a>
      .
    </>
  )

const Booking = ({ page, state, leadId, form, url, help }: LeadProps & { url: string }) => (
  <dialog open id="custom-plan" aria-labelledby="custom-plan-title">
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
      <p class="muted">
        We have your request. If you do not book a time, we will write to this address.
        <Address help={help} />
      </p>
      <iframe class="scheduler" src={url} height={700} title="Choose a time" />
      <footer>
        <a class="button quiet" href={url} target="_blank" rel="noopener">
          Open it in a new tab
          <Icon name="external" />
        </a>
        <Close href={page + state}>Close</Close>
      </footer>
    </div>
  </dialog>
)

const Sent = ({ page, state, form, help }: LeadProps) => (
  <dialog open id="custom-plan" aria-labelledby="custom-plan-title">
    <div class="modal">
      <h2 id="custom-plan-title" tabIndex={-1} autofocus>
        We have your request
      </h2>
      <p class="muted">
        We will write to <b>{form.email}</b> about a plan for {form.range.replace('-', '–')}{' '}
        visitors a month. Until then nothing changes.
        <Address help={help} />
      </p>
      <footer>
        <Close href={page + state}>Back to plans</Close>
      </footer>
    </div>
  </dialog>
)
