import type { Api } from '../../domain/api/api-client.ts'
import {
  contract,
  type FileCallName,
  type Input,
  type JsonCallName,
  type Output,
} from '../../domain/api/contract.ts'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import { tokenEnd } from '../session/session.ts'
import { sharedAnswers, type SharedAnswers } from './shared-answers.ts'
import { ownerOf } from './token-owner.ts'
import type { Download, Upstream } from './upstream.ts'
import { pathOf, read } from './upstream-calls.ts'

/**
 * The data of the store that every page needs. It is the same object until something in it changes.
 */
export type ShellData = {
  store: StoreInfo
  status: StoreStatus
  plans: Plan[]
  addresses: ShopAddresses
}
export type ApiSession = {
  api: Api
  shell: () => Promise<ShellData>
  /**
   * `forget` drops what is cached, so that the next call reads it again. `storeId` is null before
   * the shell was read.
   */
  forget: () => void
  storeId: () => string | null
  /** The plans and the subscription that the shell had when it was last read; null before. */
  standing: () => Standing | null
  /** A file as a stream. */
  download: <N extends FileCallName>(name: N, input: Input<N>) => Promise<Download | null>
}
/** `subscription`: what the store pays for, as text. */
type Standing = { plans: Plan[]; subscription: string }
export type ApiSessions = ((token: string) => ApiSession) & {
  /** Call it when something else than these sessions has changed this store. */
  forget: (storeId: string) => void
  /** How many sessions and answers are cached now, and the bytes they take together. */
  kept: () => { sessions: number; answers: number; bytes: number }
}
/**
 * Milliseconds for which the only app process of an engine caches the shell's data, also its plans,
 * which staff may change (requirements 12.1). A change made through this session ends this at once.
 * Where several processes serve a browser, none of them learns what it has changed through another,
 * so they read the data for each page.
 */
export const shellLife = { alone: 10_000, oneOfMany: 0 } as const
/** The most bytes that all cached answers, and all sessions, may take. */
const most = { answers: 48 * 1024 * 1024, sessions: 32 * 1024 * 1024 }
/** Bytes of a session, measured: its functions and its calls under way. */
const perSession = 24 * 1024

/**
 * The API as each signed-in browser sees it. A session belongs to one token, and gets only what the
 * API has answered to exactly this token. Equal answers to browsers of one store are one object
 * (shared-answers.ts).
 */
export function apiSessions(
  upstream: Upstream,
  clock: () => Date,
  { maxBytes = most, life = shellLife.alone }: { maxBytes?: typeof most; life?: number } = {},
): ApiSessions {
  const answers = sharedAnswers(maxBytes.answers)
  const isOver = ({ until }: { until: number }) => until <= clock().getTime()
  const sessions = keptWithin<{ session: ApiSession; until: number }>(maxBytes.sessions, isOver)
  /**
   * Once one browser of a store knows about other plans or another subscription, every browser of
   * the store reads them again (requirements 12.1).
   */
  const reloadOthers = (storeId: string, now: Standing): void => {
    for (const { session } of sessions.values()) {
      const known = session.storeId() === storeId ? session.standing() : null
      if (known && !isSame(known, now)) session.forget()
    }
  }
  const sessionOf = (token: string): ApiSession => {
    const known = sessions.get(token)
    if (known) return known.session
    const session = apiSession(upstream, token, { clock, life }, answers, reloadOthers)
    // A token that does not say when it ends is kept until there are too many.
    sessions.set(token, { session, until: tokenEnd(token) || Infinity }, perSession)
    return session
  }
  return Object.assign(sessionOf, {
    forget: (storeId: string) => {
      for (const { session } of sessions.values())
        if (session.storeId() === storeId) session.forget()
    },
    kept: () => ({
      sessions: sessions.size(),
      answers: answers.size(),
      bytes: sessions.bytes() + answers.bytes(),
    }),
  })
}

function apiSession(
  upstream: Upstream,
  token: string,
  { clock, life }: { clock: () => Date; life: number },
  answers: SharedAnswers,
  reloadOthers: (storeId: string, now: Standing) => void,
): ApiSession {
  const owner = ownerOf(token)
  const flights = new Map<string, Promise<unknown>>()
  let shell: { until: number; data: Promise<ShellData> } | null = null
  let storeId: string | null = null
  let standing: Standing | null = null

  /**
   * Identical GET requests under way at the same time share one call. A change ends the sharing, so
   * that no request after it gets an older answer.
   */
  function get<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const path = pathOf(name, input, token)
    const key = `${name} ${path}`
    const flight = flights.get(key)
    if (flight) return flight as Promise<Output<N>>
    const flying = upstream
      .send(name, input, token)
      .then(text => (text === null ? null : answers.known(owner, key, name, text)))
      .finally(() => {
        if (flights.get(key) === flying) flights.delete(key)
      })
    flights.set(key, flying)
    return flying as Promise<Output<N>>
  }

  const forget = () => {
    flights.clear()
    shell = null
  }
  async function change<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    forget()
    try {
      const text = await upstream.send(name, input, token)
      return (text === null ? null : read(name, text)) as Output<N>
    } finally {
      forget()
    }
  }

  const api = Object.fromEntries(
    (
      Object.entries(contract)
        .filter(([, call]) => !('file' in call))
        .map(([name]) => name) as JsonCallName[]
    ).map(name => [
      name,
      (input: Input<JsonCallName>) =>
        contract[name].method === 'GET' ? get(name, input) : change(name, input),
    ]),
  ) as Api

  async function loadShell(): Promise<ShellData> {
    const [store, status, plans, addresses] = await Promise.all([
      api.storeInfo({}),
      api.storeStatus({}),
      api.plans({}),
      api.storeAddresses({}),
    ])
    storeId = store.id
    const before = standing
    standing = {
      plans,
      subscription: `${store.planId} ${status.subscriptionStatus} ${status.pendingPlan}`,
    }
    if (!before || !isSame(before, standing)) reloadOthers(storeId, standing)
    return answers.together(owner, { store, status, plans, addresses })
  }

  return {
    api,
    forget,
    storeId: () => storeId,
    standing: () => standing,
    download: (name, input) => upstream.download(name, input, token),
    shell: () => {
      const now = clock().getTime()
      if (shell && now < shell.until) return shell.data
      const loading = { until: now + life, data: loadShell() }
      loading.data.catch(() => {
        if (shell === loading) shell = null
      })
      shell = loading
      return loading.data
    },
  }
}

// Equal plans are one object to the browsers of one store.
const isSame = (one: Standing, other: Standing): boolean =>
  one.plans === other.plans && one.subscription === other.subscription
