import type { ComponentChildren } from 'preact'
import type { GaAccount, GaSettings, GaStream } from '../domain/analytics.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import type { StoreInfo } from '../domain/store.ts'
import { Closed } from './closed.tsx'
import { Confirm } from './confirm.tsx'
import { DraftField } from './draft-field.tsx'
import { Facts } from './facts.tsx'
import { Icon } from './icons.tsx'
import { Notice } from './notice.tsx'
import { SettingsNav } from './settings-nav.tsx'

/** How coming back from Google ended. */
export const outcomes = {
  connected: { tone: 'good', text: 'Google Analytics is connected.' },
  denied: {
    tone: 'warn',
    text: 'You did not give Google your permission, so nothing was connected.',
  },
  partly: {
    tone: 'warn',
    text: 'Twinshelf needs both permissions. You gave only one, so nothing was connected. Connect again and allow both.',
  },
  expired: {
    tone: 'warn',
    text: 'This permission is no longer valid: it is older than ten minutes, already used or from another store. Nothing was connected. Connect again.',
  },
  failed: {
    tone: 'bad',
    text: 'Google answered with an error, so nothing was connected. Try again in a minute.',
  },
  slow: {
    tone: 'warn',
    text: 'Google took too long to answer. If this page does not show it as connected in a minute, connect again.',
  },
} as const
export type Outcome = keyof typeof outcomes

/** What Google says when asked now. */
export type Asked<T> = { value: T } | { refused: true } | { failed: 'slow' | 'down' }
export type Connection = {
  settings: GaSettings
  accounts: Asked<GaAccount[]> | null
  streams: Asked<GaStream[]> | null
}
export type IntegrationsProps = {
  /** By the plan or flag. */
  isOpen: boolean
  /** Whether this installation has a client at Google. */
  isSetUp: boolean
  connection: Connection | null
  outcome?: Outcome | undefined
  /** Why an act was not done. */
  refusal?: string | undefined
  problems?: FieldProblem[]
}

export function Integrations(props: IntegrationsProps) {
  const { outcome, refusal } = props
  return (
    <>
      <SettingsNav current="integrations" />
      <div class="page-head">
        <h1>Integrations</h1>
      </div>
      {outcome && <Banner tone={outcomes[outcome].tone}>{outcomes[outcome].text}</Banner>}
      {refusal && (
        <Banner tone="bad">
          <strong>Nothing was changed.</strong> {refusal}
        </Banner>
      )}
      <GoogleAnalytics {...props} />
    </>
  )
}

function GoogleAnalytics({ isOpen, isSetUp, connection, problems = [] }: IntegrationsProps) {
  if (!isOpen)
    return (
      <>
        <Closed capability="Ga4Integration" at={paths.settings('integrations')} />
        {connection && (
          <section class="card" aria-labelledby="before">
            <div class="card-head">
              <h2 id="before">Existing connection</h2>
            </div>
            <div class="card-body stack">
              <p class="muted">
                Google Analytics is still connected. Nothing is sent while your plan does not
                include it.
              </p>
              <div class="row">
                <DisconnectButton />
              </div>
            </div>
          </section>
        )}
        {connection && <Disconnect />}
      </>
    )
  if (connection) return <Connected {...connection} problems={problems} />
  if (!isSetUp)
    return (
      <Notice
        level={2}
        title="Google Analytics is not set up here yet"
        actions={
          <a class="button secondary" href={paths.settings('support')}>
            Contact support
          </a>
        }
      >
        You cannot connect Google Analytics yet. Ask support to set it up. Your tests and reports
        work without it.
      </Notice>
    )
  return (
    <Notice
      level={2}
      title="Google Analytics"
      actions={<ConnectLink>Connect Google Analytics</ConnectLink>}
    >
      See your tests in Google Analytics 4: when a visitor enters a test, Twinshelf sends an{' '}
      <code>experience_impression</code> event that names the test and the arm. Google asks for your
      permission first.
    </Notice>
  )
}

function Connected({
  settings,
  accounts,
  streams,
  problems,
}: Connection & { problems: FieldProblem[] }) {
  const { connected, enabled, propertyId, problem } = settings
  const isLost = !connected || (accounts !== null && 'refused' in accounts)
  return (
    <>
      {!connected && (
        <Banner tone="warn" action={<ConnectLink small>Connect again</ConnectLink>}>
          <strong>Google Analytics is disconnected.</strong> Connect again to keep sending test
          data. Your property is kept.
        </Banner>
      )}
      {connected && isLost && (
        <Banner tone="warn" action={<ConnectLink small>Connect again</ConnectLink>}>
          <strong>This Google user has no Analytics accounts.</strong> Connect again as a user who
          can edit the property.
        </Banner>
      )}
      {accounts && 'failed' in accounts && (
        <Banner
          tone="warn"
          action={
            <a class="button secondary small" href={paths.settings('integrations')}>
              Try again
            </a>
          }
        >
          <strong>
            {accounts.failed === 'slow'
              ? 'Google is slow to answer.'
              : 'Google answers with errors.'}
          </strong>{' '}
          Accounts and properties cannot be listed now. Your choice is kept.
        </Banner>
      )}
      {problem && connected && (
        <Banner tone="bad">
          <strong>Not everything could be sent.</strong> {problem}
        </Banner>
      )}
      <div class="columns">
        <section class="card" aria-labelledby="google">
          <div class="card-head">
            <h2 id="google">Google Analytics</h2>
            <div class="row">
              <State settings={settings} />
            </div>
          </div>
          <Chosen settings={settings} accounts={accounts} streams={streams} />
          <div class="card-foot">
            <DisconnectButton />
            {connected && propertyId && (
              <form
                class="card-foot-end"
                method="post"
                action={paths.analytics(enabled ? 'disable' : 'enable')}
              >
                {enabled ? (
                  <button class="secondary">Stop sending</button>
                ) : (
                  <button>Start sending</button>
                )}
              </form>
            )}
          </div>
        </section>
        {accounts && 'value' in accounts && (
          <PropertyForm accounts={accounts.value} settings={settings} problems={problems} />
        )}
      </div>
      <Disconnect />
    </>
  )
}

const State = ({ settings: { connected, enabled, propertyId } }: { settings: GaSettings }) => {
  const [tone, icon, words] = !connected
    ? (['warn', 'warning', 'Connection lost'] as const)
    : enabled
      ? (['good', 'check', 'Sending'] as const)
      : propertyId
        ? (['plain', 'pause', 'Not sending'] as const)
        : (['accent', 'info', 'Choose a property'] as const)
  return (
    <span class="badge" data-tone={tone}>
      <Icon name={icon} />
      {words}
    </span>
  )
}

/** What is chosen, with Google's own names where it tells them. */
function Chosen({ settings, accounts, streams }: Connection) {
  const { accountId, propertyId, measurementIds, measurementId } = settings
  const account =
    accounts && 'value' in accounts
      ? accounts.value.find(each => each.accountId === accountId)
      : undefined
  const property = account?.properties.find(each => each.propertyId === propertyId)
  const listed: GaStream[] =
    streams && 'value' in streams
      ? streams.value
      : measurementIds.map(id => ({ measurementId: id, name: '', url: '' }))
  if (!propertyId)
    return <p class="card-body muted">Connected. Choose the property to send your test data to.</p>
  return (
    <Facts
      facts={[
        ['Account', <Named name={account?.name} id={accountId} />],
        ['Property', <Named name={property?.name} id={propertyId} />],
        [
          'Measurement ids',
          listed.length === 0
            ? 'None. Add a web stream in Google Analytics, under Data streams, then save the property again.'
            : listed.map(stream => (
                <div key={stream.measurementId}>
                  <code>{stream.measurementId}</code>{' '}
                  {[stream.name, stream.url].filter(Boolean).join(', ')}
                  {stream.measurementId === measurementId && (
                    <>
                      {' '}
                      <span class="badge">In use</span>
                    </>
                  )}
                </div>
              )),
        ],
        [
          'What is sent',
          'One experience_impression event for each visit to a test, with the name of the test and the arm. No personal data and no orders.',
        ],
      ]}
    />
  )
}

const Named = ({ name, id }: { name: string | undefined; id: string | null }) =>
  name ? (
    <>
      {name} <span class="note">{id}</span>
    </>
  ) : (
    <>{id}</>
  )

function PropertyForm({
  accounts,
  settings: { accountId, propertyId },
  problems,
}: {
  accounts: GaAccount[]
  settings: GaSettings
  problems: FieldProblem[]
}) {
  const chosen = `${accountId}/${propertyId}`
  const withProperties = accounts.filter(({ properties }) => properties.length > 0)
  return (
    <section class="card" aria-labelledby="property-title">
      <div class="card-head">
        <h2 id="property-title">Property</h2>
      </div>
      {withProperties.length === 0 ? (
        <div class="card-body stack">
          <p>
            The connected Google user has no Google Analytics 4 property. Create one in Google
            Analytics, or connect as another user.
          </p>
          <div class="row">
            <ConnectLink small>Connect as another user</ConnectLink>
          </div>
        </div>
      ) : (
        <form class="card-body stack" method="post" action={paths.analytics('property')}>
          <DraftField
            name="property"
            label="Account and property"
            problems={problems}
            help="After you change the property, press Start sending."
            control={bound => (
              <select {...bound}>
                {!withProperties.some(account =>
                  account.properties.some(
                    property => `${account.accountId}/${property.propertyId}` === chosen,
                  ),
                ) && <option value="">Choose a property</option>}
                {withProperties.map(account => (
                  <optgroup key={account.accountId} label={account.name || account.accountId}>
                    {account.properties.map(property => {
                      const value = `${account.accountId}/${property.propertyId}`
                      return (
                        <option key={value} value={value} selected={value === chosen}>
                          {property.name || property.propertyId} ({property.propertyId})
                        </option>
                      )
                    })}
                  </optgroup>
                ))}
              </select>
            )}
          />
          <div class="row">
            <button class={propertyId ? 'secondary' : undefined}>Save property</button>
          </div>
        </form>
      )}
    </section>
  )
}

/** Google's page may stand in no frame: it takes the place of the shop's admin, which comes back afterwards. */
const ConnectLink = ({ small, children }: { small?: true; children: ComponentChildren }) => (
  <a
    class={small ? 'button secondary small' : 'button'}
    href={paths.analytics('connect')}
    target="_top"
  >
    {children}
  </a>
)

const disconnect = 'disconnect-google'
const DisconnectButton = () => (
  <button class="danger" type="button" command="show-modal" commandfor={disconnect}>
    Disconnect
  </button>
)
const Disconnect = () => (
  <Confirm
    id={disconnect}
    title="Disconnect Google Analytics?"
    action={paths.analytics('disconnect')}
    act="Disconnect"
    keep="Keep it connected"
  >
    Twinshelf stops sending data and loses access to your Google Analytics. Your choice of property
    is deleted. Data already sent stays in Google Analytics.
  </Confirm>
)

const Banner = ({
  tone,
  action,
  children,
}: {
  tone: 'good' | 'warn' | 'bad'
  action?: ComponentChildren
  children: ComponentChildren
}) => (
  <div class="banner" data-tone={tone} role={tone === 'good' ? 'status' : 'alert'}>
    <Icon name={tone === 'good' ? 'check' : 'warning'} />
    <div>{children}</div>
    {action && <div class="row">{action}</div>}
  </div>
)

/** Back from Google, outside the shop's admin: which store it is for is said before anything is connected. */
export const GoogleFinish = ({ store, admin }: { store: StoreInfo; admin: string }) => (
  <Notice
    title={`Connect Google Analytics to ${store.name}?`}
    actions={
      <>
        <form method="post" action={paths.analytics('finish')}>
          <button>Connect to {store.name}</button>
        </form>
        <a class="button secondary" href={admin}>
          Do not connect
        </a>
      </>
    }
  >
    If you connect, Twinshelf in {store.shop} can read the accounts of the Google user you chose and
    send events to one of their properties. If this is not your store, do not connect.
  </Notice>
)
