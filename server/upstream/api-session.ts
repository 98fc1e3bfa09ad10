import type { Api } from '../../domain/api/api-client.ts'
import {
  contract,
  type FileCallName,
  type Input,
  type JsonCallName,
  type Output,
} from '../../domain/api/contract.ts'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import { tokenEnd } from '../session/session.ts'
import { sharedAnswers, type SharedAnswers } from './shared-answers.ts'
import { ownerOf } from './token-owner.ts'
import { type Download, pathOf, read, type Upstream } from './upstream.ts'

/** What every page knows of its store. The same object as long as nothing in it changed. */
export type ShellData = { store: StoreInfo; status: StoreStatus; plans: Plan[] }
export type ApiSession = {
  api: Api
  shell: () => Promise<ShellData>
  /** Reads again what is asked for next; `storeId` is null before anything was read. */
  forget: () => void
  storeId: () => string | null
  /** A file as it comes. */
  download: <N extends FileCallName>(name: N, input: Input<N>) => Promise<Download | null>
}
export type ApiSessions = ((token: string) => ApiSession) & {
  /** Something of this store was changed by others than these sessions. */
  forget: (storeId: string) => void
  /** What is kept just now: how many sessions and answers, and the bytes they take together. */
  kept: () => { sessions: number; answers: number; bytes: number }
}
/** Milliseconds the shell's data may be old; a change made through this session ends it at once. */
const shellLife = 10_000
/** Bytes that all kept answers may take, and all sessions. */
const most = { answers: 48 * 1024 * 1024, sessions: 32 * 1024 * 1024 }
/** Of a session, measured: its functions and what it knows to be under way. */
const perSession = 24 * 1024

/**
 * The API as each signed-in browser sees it. A session is one token's: it is given only what the API has answered to
 * exactly this token. Equal answers to browsers of one store are one object (shared-answers.ts).
 */
export function apiSessions(
  upstream: Upstream,
  clock: () => Date,
  maxBytes: typeof most = most,
): ApiSessions {
  const answers = sharedAnswers(maxBytes.answers)
  const isOver = ({ until }: { until: number }) => until <= clock().getTime()
  const sessions = keptWithin<{ session: ApiSession; until: number }>(maxBytes.sessions, isOver)
  const sessionOf = (token: string): ApiSession => {
    const known = sessions.get(token)
    if (known) return known.session
    const session = apiSession(upstream, token, clock, answers)
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
  clock: () => Date,
  answers: SharedAnswers,
): ApiSession {
  const owner = ownerOf(token)
  const flights = new Map<string, Promise<unknown>>()
  let plans: Promise<Plan[]> | null = null
  let shell: { until: number; data: Promise<ShellData> } | null = null
  let storeId: string | null = null

  /** Identical GETs under way at the same moment are one; a change ends the sharing, so that nobody who asks after it gets what was read before. */
  function get<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const path = pathOf(name, input)
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
    // Plans stay until a change of subscription forces them (requirements 12.1).
    plans ??= api.plans({}).catch((error: unknown) => {
      plans = null
      throw error
    })
    const [store, status, offered] = await Promise.all([
      api.storeInfo({}),
      api.storeStatus({}),
      plans,
    ])
    storeId = store.id
    return answers.together(owner, { store, status, plans: offered })
  }

  return {
    api,
    forget,
    storeId: () => storeId,
    download: (name, input) => upstream.download(name, input, token),
    shell: () => {
      const now = clock().getTime()
      if (shell && now < shell.until) return shell.data
      const loading = { until: now + shellLife, data: loadShell() }
      loading.data.catch(() => {
        if (shell === loading) shell = null
      })
      shell = loading
      return loading.data
    },
  }
}
