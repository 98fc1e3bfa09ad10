/**
 * What a page that holds its session itself, and the app, tell each other in headers (decision
 * 075). Names are lower case, as both sides read them.
 */
export const sessionHeaders = {
  /** An answer without content: the session has ended. Sign in again, then repeat the request. */
  ended: 'twinshelf-session-ended',
  /** An answer without content: where a redirect leads. A script cannot see a real redirect. */
  location: 'twinshelf-location',
  /** An answer: cookies to remember in the page, as in a query. An empty value forgets one. */
  keep: 'twinshelf-keep',
  /** A request: the cookies that the page remembers. */
  kept: 'twinshelf-kept',
} as const

/** The query of a WebSocket that sends its token in its first message. */
export const socketQuery = { name: 'session', value: 'message' } as const
/** The first message of such a WebSocket. */
export type FirstMessage = { token: string }
/** Milliseconds within which it must arrive. */
export const firstMessageWithin = 5_000

/** A page renews its session this long before the token ends. Milliseconds. */
export const pageRenewedBefore = 60_000

/**
 * Whether an answer with this content type may be shown as a page. Files may hold the words of
 * strangers, and in a page those could be markup that sends requests with its session.
 */
export const isPage = (contentType: string | null): boolean =>
  /^text\/html *(;|$)/i.test(contentType ?? '')

/** Why a page could not hold a session itself; the page for that says each in a sentence. */
export const bounceProblems = ['top', 'silent', 'refused', 'offline'] as const
export type BounceProblem = (typeof bounceProblems)[number]
