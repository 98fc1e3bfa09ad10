import type { Api } from '../domain/api-client.ts'
import { contract, type FileCallName, type Input, type JsonCallName, type Output } from '../domain/contract.ts'
import type { Plan } from '../domain/plan.ts'
import type { StoreInfo, StoreStatus } from '../domain/store.ts'
import { type Download, pathOf, read, type Upstream } from './upstream.ts'

/** What every page knows of its store. The same object as long as nothing in it changed. */
export type ShellData = { store: StoreInfo; status: StoreStatus; plans: Plan[] }
export type ApiSession = {
  api: Api
  shell: () => Promise<ShellData>
  /** Reads anew what is asked for next; `storeId` is null before anything was read. */
  forget: () => void
  storeId: () => string | null
  /** A file as it comes. */
  download: <N extends FileCallName>(name: N, input: Input<N>) => Promise<Download | null>
}
export type ApiSessions = ((token: string) => ApiSession) & {
  /** Something of this store was changed by others than these sessions. */
  forget: (storeId: string) => void
}
/** Milliseconds the shell's data may be old; a change made through this session ends it at once. */
const shellLife = 10_000
const sessionsKept = 1000
const answersKept = 16

/**
 * The API as each signed-in browser sees it. Kept by the whole token, so that nobody is answered from what another
 * was told: what is kept was given to exactly this token by the API.
 */
export function apiSessions(upstream: Upstream, clock: () => Date): ApiSessions {
  const sessions = new Map<string, ApiSession>()
  const sessionOf = (token: string): ApiSession => {
    let session = sessions.get(token)
    if (session) return session
    if (sessions.size >= sessionsKept) sessions.delete(sessions.keys().next().value!)
    sessions.set(token, session = apiSession(upstream, token, clock))
    return session
  }
  return Object.assign(sessionOf, {
    forget: (storeId: string) => { for (const session of sessions.values()) if (session.storeId() === storeId) session.forget() },
  })
}

function apiSession(upstream: Upstream, token: string, clock: () => Date): ApiSession {
  const flights = new Map<string, Promise<unknown>>()
  const answers = new Map<string, { text: string; value: unknown }>()
  let plans: Promise<Plan[]> | null = null
  let shell: { until: number; data: Promise<ShellData> } | null = null
  let last: ShellData | null = null

  /** Identical GETs under way at the same moment are one; a change ends the sharing, so that nobody who asks after it gets what was read before. */
  function get<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    const path = pathOf(name, input)
    const key = `${name} ${path}`
    const flight = flights.get(key)
    if (flight) return flight as Promise<Output<N>>
    const flying = upstream.send(name, input, token).then(text => (text === null ? null : known(key, name, text))).finally(() => {
      if (flights.get(key) === flying) flights.delete(key)
    })
    flights.set(key, flying)
    return flying as Promise<Output<N>>
  }

  /** An answer that reads as the last one did is the same object: it need not be parsed, checked or drawn again. */
  function known(key: string, name: JsonCallName, text: string): unknown {
    const answer = answers.get(key)
    if (answer?.text === text) return answer.value
    const value: unknown = read(name, text)
    answers.delete(key)
    if (answers.size >= answersKept) answers.delete(answers.keys().next().value!)
    answers.set(key, { text, value })
    return value
  }

  const forget = () => { flights.clear(); shell = null }
  async function change<N extends JsonCallName>(name: N, input: Input<N>): Promise<Output<N>> {
    forget()
    try {
      const text = await upstream.send(name, input, token)
      return (text === null ? null : read(name, text)) as Output<N>
    } finally {
      forget()
    }
  }

  const api = Object.fromEntries((Object.entries(contract).filter(([, call]) => !('file' in call)).map(([name]) => name) as JsonCallName[]).map(name =>
    [name, (input: Input<JsonCallName>) => (contract[name].method === 'GET' ? get(name, input) : change(name, input))])) as Api

  async function loadShell(): Promise<ShellData> {
    // Plans stay until a change of subscription forces them (design.md §12).
    plans ??= api.plans({}).catch((error: unknown) => { plans = null; throw error })
    const [store, status, offered] = await Promise.all([api.storeInfo({}), api.storeStatus({}), plans])
    if (last?.store !== store || last.status !== status || last.plans !== offered) last = { store, status, plans: offered }
    return last
  }

  return {
    api, forget, storeId: () => last?.store.id ?? null, download: (name, input) => upstream.download(name, input, token),
    shell: () => {
      const now = clock().getTime()
      if (shell && now < shell.until) return shell.data
      const loading = { until: now + shellLife, data: loadShell() }
      loading.data.catch(() => { if (shell === loading) shell = null })
      shell = loading
      return loading.data
    },
  }
}
