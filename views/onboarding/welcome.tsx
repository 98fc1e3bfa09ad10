import { storeNameLength } from '../../domain/stores/store.ts'
import type { ComponentChildren } from 'preact'
import type { ConsentRule } from '../../domain/events/consent.ts'
import { paths, type WelcomePage } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { ConsentFound } from '../../domain/stores/shop-consent.ts'
import { sources, teamSizes, testingExperiences } from '../../domain/stores/store-onboarding.ts'
import { DraftField, Problem } from '../drafts/draft-field.tsx'
import { Facts } from '../facts.tsx'
import { ConsentFacts } from '../settings/consent-facts.tsx'
import { Icon } from '../icons.tsx'
import { WelcomeExample } from './welcome-example.tsx'

/** `from`: the page that was asked for before the onboarding. It is carried from step to step. */
type StepProps = { from: string | null; problems: FieldProblem[] }
const steps = [undefined, 'contact', 'choose-industry', 'last-question'] as const satisfies (
  | WelcomePage
  | undefined
)[]
const stepPath = (page: WelcomePage | undefined, from: string | null): string =>
  paths.welcome(page) + (from ? `?${new URLSearchParams({ from })}` : '')

type StepFrameProps = {
  page: WelcomePage | undefined
  from: string | null
  title: string
  lead: string
  act: string
  children?: ComponentChildren
}

/**
 * A step, next to an example of a result. Posting leads to the next step; going back loses nothing
 * that was stored.
 */
function Step({ page, from, title, lead, act, children }: StepFrameProps) {
  const at = steps.findIndex(step => step === page)
  return (
    <div class="welcome">
      <form class="stack welcome-form" method="post" action={stepPath(page, from)} novalidate>
        <div class="row">
          <ol class="step-bar" aria-hidden="true">
            {steps.map((step, i) => (
              <li key={step} data-done={i <= at ? '' : undefined} />
            ))}
          </ol>
          <span class="note">
            Step {at + 1} of {steps.length}
          </span>
        </div>
        <div class="stack-tight">
          <h1>{title}</h1>
          <p class="muted">{lead}</p>
        </div>
        {children}
        <div class="row welcome-actions">
          {at > 0 ? (
            <a class="button quiet" href={stepPath(steps[at - 1], from)}>
              Back
            </a>
          ) : (
            <span />
          )}
          <button>{act}</button>
        </div>
      </form>
      <WelcomeExample />
    </div>
  )
}

const expectations = [
  ['Tell us about your store', 'Three short questions, about a minute.'],
  [
    'Build a test',
    'Choose what should be different for half of your visitors. Nothing goes live before you launch it.',
  ],
  ['Read the result', 'Twinshelf counts, and says in one sentence what to do.'],
] as const

export const StartStep = ({ storeName, from }: { storeName: string; from: string | null }) => (
  <Step
    page={undefined}
    from={from}
    title={`Welcome, ${storeName}`}
    lead="Your plan is active. This is what comes next."
    act="Get started"
  >
    <ol class="welcome-list">
      {expectations.map(([what, how], i) => (
        <li key={what}>
          <span class="initials" aria-hidden="true">
            {i + 1}
          </span>
          <span>
            <b>{what}</b>
            <span class="cell-sub">{how}</span>
          </span>
        </li>
      ))}
    </ol>
  </Step>
)

type Merchant = { firstName: string; lastName: string; email: string; phone: string | null }
export const ContactStep = ({
  name,
  merchant,
  consent,
  consentRule,
  from,
  problems,
}: StepProps & {
  name: string
  merchant: Merchant | null
  consent: ConsentFound
  consentRule: ConsentRule
}) => (
  <Step
    page="contact"
    from={from}
    title="What is your store called?"
    lead="Reports and messages show this name. Your shop’s own name does not change."
    act="Continue"
  >
    <DraftField
      name="name"
      label="Store name"
      problems={problems}
      control={bound => (
        <input {...bound} value={name} maxLength={storeNameLength} autocomplete="organization" />
      )}
    />
    {merchant && (
      <section class="card" aria-labelledby="contact">
        <div class="card-head">
          <h2 id="contact">How we reach you</h2>
        </div>
        <Facts
          facts={[
            ['Name', `${merchant.firstName} ${merchant.lastName}`.trim()],
            ['Email', merchant.email],
            ['Phone', merchant.phone],
          ]}
        />
        <p class="card-foot">From your shop’s admin. Change it there.</p>
      </section>
    )}
    {consent && (
      <section class="card" aria-labelledby="consent">
        <div class="card-head">
          <h2 id="consent">Your visitors’ consent</h2>
        </div>
        <div class="card-body stack">
          <ConsentFacts found={consent} rule={consentRule} />
        </div>
        <p class="card-foot">From your shop’s privacy settings. Change it there.</p>
      </section>
    )}
  </Step>
)

type IndustryStepProps = StepProps & {
  industries: Record<string, string>
  chosen: { industry: string | null; teamSize: string | null }
}
export const IndustryStep = ({ industries, chosen, from, problems }: IndustryStepProps) => (
  <Step
    page="choose-industry"
    from={from}
    title="What does your shop sell?"
    lead="This helps us build the right product."
    act="Continue"
  >
    <Choices
      name="selectedIndustry"
      label="Industry"
      choices={industries}
      chosen={chosen.industry}
      problems={problems}
      look="choice-grid choice-grid-compact"
    />
    <Choices
      name="teamSize"
      label="Team size"
      choices={teamSizes}
      chosen={chosen.teamSize}
      problems={problems}
      look="segmented"
    />
  </Step>
)

type LastStepProps = StepProps & {
  chosen: { testingExperience: string | null; source: string | null }
}
export const LastStep = ({ chosen, from, problems }: LastStepProps) => (
  <Step
    page="last-question"
    from={from}
    title="Where you come from"
    lead="Two last questions, then your store is set up."
    act="Finish"
  >
    <Choices
      name="testingExperience"
      label="How much testing have you done?"
      choices={testingExperiences}
      chosen={chosen.testingExperience}
      problems={problems}
      look="choice-grid"
    />
    <Choices
      name="source"
      label="Where did you hear of us?"
      choices={sources}
      chosen={chosen.source}
      problems={problems}
      look="choice-grid"
    />
  </Step>
)

type ChoicesProps = {
  name: string
  label: string
  choices: Record<string, string>
  chosen: string | null
  problems: FieldProblem[]
  look: 'segmented' | 'choice-grid' | 'choice-grid choice-grid-compact'
}
/**
 * A choice between several options that are all visible. When it has a problem, the whole group
 * takes the focus.
 */
function Choices({ name, label, choices, chosen, problems, look }: ChoicesProps) {
  const problem = problems.find(({ field }) => field === name)
  const isTile = look !== 'segmented'
  return (
    <fieldset
      role="radiogroup"
      class="field"
      {...(problem && {
        'aria-invalid': 'true',
        'aria-describedby': `${name}-problem`,
        tabIndex: -1,
      })}
    >
      <legend>{label}</legend>
      <div class={look}>
        {Object.entries(choices).map(([value, text]) => (
          <label key={value} class={isTile ? 'choice' : undefined}>
            <input type="radio" name={name} value={value} checked={value === chosen} />
            {text}
            {isTile && (
              <span class="choice-tick">
                <Icon name="check" />
              </span>
            )}
          </label>
        ))}
      </div>
      {problem && <Problem id={`${name}-problem`} message={problem.message} />}
    </fieldset>
  )
}
