import type { ComponentChildren } from 'preact'
import type { GaAccount, GaSettings, GaStream } from '../../domain/google/analytics.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { Confirm } from '../confirm.tsx'
import { DraftField } from '../drafts/draft-field.tsx'
import { Facts } from '../facts.tsx'
import { Icon } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'
import { Banner, type Connection, type IntegrationsProps } from './integrations-state.tsx'

/** The cards of a connected store: what is sent where, and the choice of the property. */
export function Connected({
  settings,
  accounts,
  streams,
  problems,
  isDisconnecting,
}: Connection & Pick<IntegrationsProps, 'isDisconnecting'> & { problems: FieldProblem[] }) {
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
      <Disconnect isOpen={isDisconnecting} />
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

/** What is chosen, with Google's names when Google answers. */
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

/** Nobody may frame Google's page, so it replaces the shop's admin, which comes back afterwards. */
export const ConnectLink = ({ small, children }: { small?: true; children: ComponentChildren }) => (
  <a
    class={small ? 'button secondary small' : 'button'}
    href={paths.analytics('connect')}
    target="_top"
  >
    {children}
  </a>
)

const disconnect = 'disconnect-google'

/** Opens the dialog that confirms disconnecting. */
export const DisconnectButton = () => (
  <a
    class="button danger"
    {...opens(disconnect, asking(paths.settings('integrations'), 'disconnect'))}
  >
    Disconnect
  </a>
)

/** The dialog that confirms disconnecting. */
export const Disconnect = ({ isOpen }: { isOpen: boolean }) => (
  <Confirm
    id={disconnect}
    title="Disconnect Google Analytics?"
    action={paths.analytics('disconnect')}
    closed={paths.settings('integrations')}
    act="Disconnect"
    keep="Keep it connected"
    isOpen={isOpen}
  >
    Twinshelf stops sending data and loses access to your Google Analytics. Your choice of property
    is deleted. Data already sent stays in Google Analytics.
  </Confirm>
)
