import type { Api } from '../../domain/api/api-client.ts'
import type { Call } from '../../domain/api/call.ts'
import {
  callsOfLeaving,
  contract,
  type FileCallName,
  type Input,
  type JsonCallName,
  type Output,
} from '../../domain/api/contract.ts'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { tokenEnd } from '../session/session.ts'
import { sharedAnswers, type SharedAnswers } from './shared-answers.ts'
import {
  type Loading,
  type Place,
  type SharedShells,
  sharedShells,
  type ShellData,
} from './shared-shells.ts'
import { ownerOf } from './token-owner.ts'
import type { Answer, Download, Upstream } from './upstream.ts'
import { pathOf, read } from './upstream-calls.ts'
import { UpstreamProblem } from './upstream-problem.ts'

export type { ShellData }
export type ApiSession = {
  api: Api
  shell: () => Promise<ShellData>
  /** Drops what is cached of the store, so that the next page reads it again. */
  forget: () => void
  /** A file as a stream. */
  download: <N extends FileCallName>(name: N, input: Input<N>) => Promise<Download | null>
}
export type ApiSessions = ((token: string) => ApiSession) & {
  /** Call it when something else than these sessions has changed this store. */
  forget: (storeId: string) => void
  /** How many sessions and answers are cached now, and the bytes they take together. */
  kept: () => { sessions: number; answers: number; bytes: number }
}
/**
 * Milliseconds for which the only app process of an engine caches the shell's data, also its plans,
 * which staff may change (requirements 12.1). A change made through the app ends this at once.
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
 * (shared-answers.ts). The shell's data is read once for all browsers of a store whose token the
 * API has just accepted.
 */
export function apiSessions(
  upstream: Upstream,
  clock: () => Date,
  { maxBytes = most, life = shellLife.alone }: { maxBytes?: typeof most; life?: number } = {},
): ApiSessions {
  const shared = { answers: sharedAnswers(maxBytes.answers), shells: sharedShells() }
  const isOver = ({ until }: { until: number }) => until <= clock().getTime()
  const sessions = keptWithin<{ session: ApiSession; until: number }>(maxBytes.sessions, isOver)
  const sessionOf = (token: string): ApiSession => {
    const known = sessions.get(token)
    if (known) return known.session
    const session = apiSession(upstream, token, { clock, life }, shared)
    // A token that does not say when it ends is kept until there are too many.
    sessions.set(token, { session, until: tokenEnd(token) || Infinity }, perSession)
    return session
  }
  return Object.assign(sessionOf, {
    forget: shared.shells.forget,
    kept: () => ({
      sessions: sessions.size(),
      answers: shared.answers.size(),
      bytes: sessions.bytes() + shared.answers.bytes(),
    }),
  })
}

function apiSession(
  upstream: Upstream,
  token: string,
  { clock, life }: { clock: () => Date; life: number },
  { answers, shells }: { answers: SharedAnswers; shells: SharedShells },
): ApiSession {
  const owner = ownerOf(token)
  const flights = new Map<string, { place: Place; data: Promise<unknown> }>()
  /** Until then the session may use data of its store that another one has read. */
  let acceptedUntil = -Infinity

  /** Sends a call, and remembers whether the API has accepted the token. */
  async function ask<N extends JsonCallName>(
    name: N,
    input: Input<N>,
    etag?: string,
  ): Promise<Answer> {
    const began = clock().getTime()
    try {
      const answer = await upstream.sendUnless(name, input, token, etag)
      if (provesToken(name)) acceptedUntil = Math.max(acceptedUntil, began + life)
      return answer
    } catch (error) {
      if (isRefused(error)) acceptedUntil = -Infinity
      throw error
    }
  }

  /** What the API answers to this token; the object that is known for it, if it is unchanged. */
  async function answered(name: JsonCallName, input: Input<JsonCallName>, key: string) {
    const last = answers.last(owner, key),
      answer = await ask(name, input, last?.etag ?? undefined)
    if (answer === 'unchanged') return last!.value
    return answer && answers.known(owner, key, name, answer)
  }

  /**
   * Identical GET requests under way at the same time share one call. A change of the store ends
   * the sharing, so that no request after it gets an older answer.
   */
  function get<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const path = pathOf(name, input, token)
    const key = `${name} ${path}`,
      place = shells.of(owner)
    const flight = flights.get(key)
    if (flight?.place === place) return flight.data as Promise<Output<N>>
    const data = answered(name, input, key).finally(() => {
      if (flights.get(key)?.data === data) flights.delete(key)
    })
    flights.set(key, { place, data })
    return data as Promise<Output<N>>
  }

  const forget = () => shells.forget(owner)
  async function change<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    forget()
    try {
      const answer = await ask(name, input)
      return (
        answer === null || answer === 'unchanged' ? null : read(name, answer.text)
      ) as Output<N>
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
    return answers.together(owner, { store, status, plans, addresses })
  }

  /** Reads the data, for the other sessions of the store too. */
  async function load(place: Place, now: number): Promise<ShellData> {
    const loading = { until: now + life, data: loadShell() }
    const share = () => {
      if (!place.loaded || place.loaded.until <= loading.until) place.loaded = loading
    }
    // Others wait for this call only if it will probably be answered.
    if (now < acceptedUntil) share()
    try {
      const data = await loading.data
      share()
      return data
    } catch (error) {
      if (place.loaded === loading) place.loaded = null
      throw error
    }
  }

  /**
   * What another session has read, if the API accepts this token. A token that was not accepted
   * lately is tried on the call that costs the API least.
   */
  async function shared({ data }: Loading, place: Place, now: number): Promise<ShellData> {
    const [known] = await Promise.all([
      data.catch((error: unknown) => {
        // The session that asked has ended. That says nothing about this one.
        if (isRefused(error)) return null
        throw error
      }),
      now < acceptedUntil || api.storeAddresses({}),
    ])
    return known ?? load(place, now)
  }

  return {
    api,
    forget,
    download: (name, input) => upstream.download(name, input, token),
    shell: () => {
      const now = clock().getTime(),
        place = shells.of(owner),
        { loaded } = place
      return loaded && now < loaded.until ? shared(loaded, place, now) : load(place, now)
    },
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamProblem && error.status === 401

/** Whether the API answers this call only to a token that may read the store. */
const provesToken = (name: JsonCallName): boolean =>
  (contract[name] as Call).token !== false && !callsOfLeaving.includes(name)
