import { pageRenewedBefore } from '../../domain/embedding/page-session.ts'
import { Bounced } from './admin.ts'

/** The session that this page holds. Its token is in no storage, address or log. */
export type PageSession = {
  /** The token, when it is valid for a while; otherwise null. */
  fresh: () => string | null
  /** Signs in again. Those who ask at the same time share one sign-in. Rejects with Bounced. */
  renew: () => Promise<string>
}

/** `idToken` asks the admin for a one-minute token; `path` is where the app takes it. */
export function pageSession(idToken: () => Promise<string>, path: string): PageSession {
  const send = window.fetch.bind(window)
  let token = '',
    until = 0,
    margin = 0,
    flight: Promise<string> | null = null,
    timer: ReturnType<typeof setTimeout> | undefined

  async function signIn(): Promise<string> {
    const asked = await idToken(),
      startedAt = performance.now()
    const answer = await send(path, {
      method: 'POST',
      body: new URLSearchParams({ id_token: asked }),
      headers: { 'hx-request': 'true' },
    }).catch(() => {
      throw new Bounced('offline')
    })
    if (!answer.ok) throw new Bounced(answer.status === 401 ? 'refused' : 'offline')
    const held = (await answer.json()) as { token: string; lasts: number }
    token = held.token
    until = startedAt + held.lasts
    margin = Math.min(pageRenewedBefore, held.lasts / 4)
    clearTimeout(timer)
    timer = setTimeout(renewBefore, held.lasts - 2 * margin)
    return token
  }

  // A save while the page is being left cannot wait for a new token. The session of a page that
  // nobody uses may end.
  function renewBefore(): void {
    if (!('idle' in document.documentElement.dataset)) renew().catch(() => {})
  }

  function renew(): Promise<string> {
    flight ??= signIn().finally(() => {
      flight = null
    })
    return flight
  }
  return {
    fresh: () => (until - performance.now() > margin ? token : null),
    renew,
  }
}
