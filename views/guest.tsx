import type { BounceProblem } from '../domain/embedding/page-session.ts'
import { paths } from '../domain/paths.ts'
import { Notice } from './notice.tsx'

/** A way to the app: one for each platform when the shop is not known (`label`). */
export type Entrance = { admin: string; app: string; label?: string }
type Entrances = { entrances: readonly Entrance[] }

const reasons: Record<BounceProblem, string> = {
  top: 'Your browser blocks the cookie that keeps you signed in. Without it, Twinshelf works only inside your shop’s admin: open it there, or allow the cookie.',
  silent:
    'Your browser blocks the cookie that keeps you signed in, and your shop’s admin did not answer when Twinshelf asked who you are. Reload the admin, or allow the cookie, then open Twinshelf again.',
  refused:
    'Your browser blocks the cookie that keeps you signed in, and Twinshelf did not accept the sign-in of your shop’s admin. Reload the admin, then open Twinshelf again.',
  offline:
    'Twinshelf cannot be reached. Check your connection, then open it again from your shop’s admin.',
}

/**
 * Links to the pages of the admin that sign merchants in. They must replace the whole window, not
 * only the frame.
 */
const EntranceLinks = ({ entrances, kind }: Entrances & { kind: string }) => (
  <>
    {entrances.map(({ app, label }) => (
      <a key={app} class={kind} href={app} target="_top">
        Open it from your shop’s admin
        {entrances.length > 1 && ` (${label})`}
      </a>
    ))}
  </>
)

export const AuthMissing = ({ entrances, why }: Entrances & { why?: BounceProblem }) => (
  <Notice
    title="You are signed out"
    actions={<EntranceLinks entrances={entrances} kind="button" />}
  >
    {why
      ? reasons[why]
      : 'Twinshelf opens from your shop’s admin, which signs you in. If you see this right after opening it, your browser blocks the cookie that keeps you signed in: allow it, then open Twinshelf again.'}
  </Notice>
)

/** Shown while a page without cookies signs the merchant in (islands/embedding/bounce.ts). */
export const Opening = (own: Entrances) => (
  <>
    <p class="note" role="status" data-opening>
      Opening Twinshelf…
    </p>
    <noscript>
      <AuthMissing {...own} />
    </noscript>
  </>
)

export const ErrorPage = ({ entrances }: Entrances) => (
  <Notice
    title="Something went wrong"
    actions={
      <>
        <a class="button" href={paths.home()}>
          Back to tests
        </a>
        <EntranceLinks entrances={entrances} kind="button secondary" />
      </>
    }
  >
    The page could not be shown. Your shop and its running tests are not affected.
  </Notice>
)
