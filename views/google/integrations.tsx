import { paths } from '../../domain/paths.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import { Closed } from '../closed.tsx'
import { Notice } from '../notice.tsx'
import { SettingsNav } from '../settings-nav.tsx'
import { Connected, ConnectLink, Disconnect, DisconnectButton } from './integrations-google.tsx'
import { Banner, type IntegrationsProps, outcomes } from './integrations-state.tsx'

export function Integrations(props: IntegrationsProps) {
  const { outcome, refusal } = props
  return (
    <>
      <SettingsNav current="integrations" />
      <div class="page-head">
        <h1>Integrations</h1>
      </div>
      {outcome && <Banner tone={outcomes[outcome].tone}>{outcomes[outcome].text}</Banner>}
      {refusal && <Banner tone="bad">{refusal}</Banner>}
      <GoogleAnalytics {...props} />
    </>
  )
}

function GoogleAnalytics({
  isOpen,
  isSetUp,
  connection,
  problems = [],
  isDisconnecting,
}: IntegrationsProps) {
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
        {connection && <Disconnect isOpen={isDisconnecting} />}
      </>
    )
  if (connection)
    return <Connected {...connection} problems={problems} isDisconnecting={isDisconnecting} />
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

/**
 * The page after Google's consent, outside the shop's admin. It names the store before anything is
 * connected.
 */
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
