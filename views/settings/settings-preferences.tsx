import type { ComponentChildren } from 'preact'
import { consentRules } from '../../domain/events/consent.ts'
import type { Network } from '../../domain/events/network.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { ConsentFound } from '../../domain/stores/shop-consent.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import { sources, teamSizes, testingExperiences } from '../../domain/stores/store-onboarding.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Facts } from '../facts.tsx'
import { Icon } from '../icons.tsx'
import { ConsentFacts } from './consent-facts.tsx'
import { NetworksCard } from './networks-card.tsx'
import { SettingsNav } from '../settings-nav.tsx'

type Answers = Pick<StoreInfo, 'industry' | 'teamSize' | 'testingExperience' | 'source'>
type PreferencesProps = {
  store: StoreInfo
  /** Key to display name. */
  industries: Record<string, string>
  /** What was chosen in a form that was refused. */
  typed?: Answers
  problems?: FieldProblem[]
  /** Address of the shop's admin, where the shop's currency and time zone are changed. */
  admin: string
  networks: Network[]
  /** The shop's own settings of consent. */
  consent: ConsentFound
  now: Date
}

/**
 * The page of the merchant's answers about the store, which can be changed here; of busy networks;
 * and of what comes from the shop.
 */
export function Preferences({
  store,
  industries,
  typed,
  problems = [],
  admin,
  networks,
  consent,
  now,
}: PreferencesProps) {
  const answers = typed ?? store
  return (
    <>
      <SettingsNav current="preferences" />
      <div class="page-head">
        <h1>Preferences</h1>
        <p class="note page-facts">
          Your answers from when you set up the store. Change them at any time.
        </p>
      </div>
      <div class="columns">
        <Answer title="Your shop" part="industry" act="Save shop answers">
          <Choice
            name="selectedIndustry"
            label="What the shop sells"
            choices={industries}
            chosen={answers.industry}
            problems={problems}
          />
          <Choice
            name="teamSize"
            label="How many people work on it"
            choices={teamSizes}
            chosen={answers.teamSize}
            problems={problems}
          />
        </Answer>
        <Answer title="Testing" part="experience" act="Save testing answers">
          <Choice
            name="testingExperience"
            label="How much testing you have done"
            choices={testingExperiences}
            chosen={answers.testingExperience}
            problems={problems}
          />
          <Choice
            name="source"
            label="How you heard about us"
            choices={sources}
            chosen={answers.source}
            problems={problems}
          />
        </Answer>
      </div>
      <Answer title="Consent" part="consent" act="Save consent">
        <Choice
          name="consent"
          label="Who takes part in tests and is counted"
          choices={consentRules}
          chosen={store.consentRule}
          problems={problems}
        />
        <p class="note">
          Visitors agree or refuse in your shop’s consent banner. Visitors who are not counted see
          the original, and we keep nothing of their visit. With “{consentRules.afterConsent}”,
          tests begin on the page after the visitor has agreed, and take longer.
        </p>
        <ConsentFacts found={consent} rule={store.consentRule} />
      </Answer>
      <NetworksCard
        networks={networks}
        timeZone={store.timeZone}
        now={now}
        action={paths.preferences('networks')}
      />
      <section class="card" aria-labelledby="shop">
        <div class="card-head">
          <h2 id="shop">Currency and time zone</h2>
        </div>
        <Facts
          facts={[
            ['Currency', store.currency],
            ['Time zone', store.timeZone],
          ]}
        />
        <div class="card-body stack">
          <p class="note">
            Reports use this currency and this time zone. To change them, change them in your shop’s
            admin.
          </p>
          <div class="row">
            <a class="button secondary" href={admin} target="_top">
              Open your shop’s admin
              <Icon name="external" />
            </a>
          </div>
        </div>
      </section>
    </>
  )
}

const Answer = ({
  title,
  part,
  act,
  children,
}: {
  title: string
  part: 'industry' | 'experience' | 'consent'
  act: string
  children: ComponentChildren
}) => (
  <section class="card" aria-labelledby={part}>
    <div class="card-head">
      <h2 id={part}>{title}</h2>
    </div>
    <form class="card-body stack" method="post" action={paths.preferences(part)}>
      {children}
      <div class="row">
        <button class="secondary">{act}</button>
      </div>
    </form>
  </section>
)

type ChoiceProps = {
  name: string
  label: string
  choices: Record<string, string>
  chosen: string | null
  problems: FieldProblem[]
}
const Choice = ({ name, label, choices, chosen, problems }: ChoiceProps) => (
  <DraftField
    name={name}
    label={label}
    problems={problems}
    control={bound => (
      <select {...bound}>
        {(chosen === null || !Object.hasOwn(choices, chosen)) && (
          <option value="" selected>
            Not answered yet
          </option>
        )}
        {Object.entries(choices).map(([key, words]) => (
          <option key={key} value={key} selected={key === chosen}>
            {words}
          </option>
        ))}
      </select>
    )}
  />
)
