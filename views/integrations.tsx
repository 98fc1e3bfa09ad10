import type { ComponentChildren } from 'preact'
import type { GaAccount, GaSettings, GaStream } from '../domain/analytics.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import type { StoreInfo } from '../domain/store.ts'
import { Closed } from './closed.tsx'
import { Icon } from './icons.tsx'
import { Notice } from './notice.tsx'
import { SettingsNav } from './settings-nav.tsx'
import { Connected, ConnectLink, Disconnect, DisconnectButton } from './integrations-google.tsx'

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

/** What came of connecting or disconnecting. */
export const Banner = ({
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
