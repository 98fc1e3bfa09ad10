import * as Type from 'typebox'
import { checkedConfig, type Env, givenOf } from '../../http/config.ts'

/** Where the operator's Prometheus can scrape a program. */
export const MetricsConfig = Type.Object({
  /** Port of the listener for metrics only; `off`: no listener. */
  METRICS_PORT: Type.String({
    pattern:
      '^(off|[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$',
  }),
  /**
   * Address to listen on: loopback, unless Prometheus connects from another machine of a private
   * network.
   */
  METRICS_HOST: Type.String({ minLength: 1 }),
})
/** Null when metrics are switched off. */
export type MetricsAddress = { port: number; host: string } | null

/** Reads and checks the configuration. Throws one error that names every wrong key. */
export function metricsConfig(env: Env): MetricsAddress {
  const { METRICS_PORT: port, METRICS_HOST: host } = checkedConfig(MetricsConfig, {
    METRICS_PORT: '3003',
    METRICS_HOST: '127.0.0.1',
    ...givenOf(MetricsConfig, env),
  })
  return port === 'off' ? null : { port: Number(port), host }
}
