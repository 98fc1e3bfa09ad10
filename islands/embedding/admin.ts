import type { AdminLink } from '../../domain/embedding/admin-link.ts'
import type { BounceProblem } from '../../domain/embedding/page-session.ts'

/** Why the page cannot hold a session. The page for that says it in a sentence. */
export class Bounced extends Error {
  readonly why: BounceProblem
  constructor(why: BounceProblem) {
    super(why)
    this.why = why
  }
}

/** How long the admin may take to answer. Milliseconds. */
const timeout = 15_000
let asked = 0

/**
 * Asks the admin that frames this page for a fresh one-minute token: through the platform's own
 * script if the page has it, else by a message. Rejects with Bounced.
 */
export function askAdmin(admin: string, says: string | undefined): Promise<string> {
  if (parent === self) return Promise.reject(new Bounced('top'))
  const link = window.adminLink
  if (link) return askScript(link)
  return says === undefined ? Promise.reject(new Bounced('top')) : askByMessage(admin, says)
}

function askScript({ idToken }: AdminLink): Promise<string> {
  let timer: ReturnType<typeof setTimeout>
  return Promise.race([
    idToken().catch(() => {
      throw new Bounced('silent')
    }),
    new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Bounced('silent')), timeout)
    }),
  ]).finally(() => clearTimeout(timer))
}

/**
 * `says` is the type of the message and of its answer; only the admin's own origin is asked and
 * heard.
 */
function askByMessage(admin: string, says: string): Promise<string> {
  const id = ++asked,
    ending = new AbortController()
  return new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Bounced('silent')), timeout)
    ending.signal.addEventListener('abort', () => clearTimeout(timer))
    addEventListener(
      'message',
      ({
        source,
        origin,
        data,
      }: MessageEvent<{ type?: string; id?: number; idToken?: unknown }>) => {
        if (source !== parent || origin !== admin || data?.type !== says || data.id !== id) return
        if (typeof data.idToken === 'string') resolve(data.idToken)
        // The admin's own sign-in has ended, for example.
        else reject(new Bounced('silent'))
      },
      { signal: ending.signal },
    )
    parent.postMessage({ type: says, id }, admin)
  }).finally(() => ending.abort())
}
