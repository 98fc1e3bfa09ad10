import * as Type from 'typebox'
import { checkedConfig, type Env, givenOf } from '../../http/config.ts'

/** Where a program tells an operator's Prometheus how it fares. */
export const MetricsConfig = Type.Object({
  /** Of the listener, which serves nothing else; `off`: there is none. */
  METRICS_PORT: Type.String({
    pattern:
      '^(off|[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$',
  }),
  /** Address it listens on: loopback, unless Prometheus asks from elsewhere on a private network. */
  METRICS_HOST: Type.String({ minLength: 1 }),
})
/** Null when it is switched off. */
export type MetricsAddress = { port: number; host: string } | null

/** Reads and checks the configuration. Throws one error that names every key that is wrong. */
export function metricsConfig(env: Env): MetricsAddress {
  const { METRICS_PORT: port, METRICS_HOST: host } = checkedConfig(MetricsConfig, {
    METRICS_PORT: '3003',
    METRICS_HOST: '127.0.0.1',
    ...givenOf(MetricsConfig, env),
  })
  return port === 'off' ? null : { port: Number(port), host }
}
