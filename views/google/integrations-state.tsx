import type { ComponentChildren } from 'preact'
import type { GaAccount, GaSettings, GaStream } from '../../domain/google/analytics.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { Icon } from '../icons.tsx'

/** Messages about how connecting has ended. */
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

/** How connecting has ended. */
export type Outcome = keyof typeof outcomes

/** What Google answers now. */
export type Asked<T> = { value: T } | { refused: true } | { failed: 'slow' | 'down' }

/** A store's connection, with Google's answers about it. */
export type Connection = {
  settings: GaSettings
  accounts: Asked<GaAccount[]> | null
  streams: Asked<GaStream[]> | null
}

/** The properties of the page of integrations. */
export type IntegrationsProps = {
  /** Whether the plan or a feature flag includes it. */
  isOpen: boolean
  /** Whether this installation has a client at Google. */
  isSetUp: boolean
  connection: Connection | null
  outcome?: Outcome | undefined
  /** Why an act failed. */
  refusal?: string | undefined
  problems?: FieldProblem[]
  /** A link asked whether to disconnect. */
  isDisconnecting: boolean
}

/** A message about connecting or disconnecting. */
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
