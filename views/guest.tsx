import { paths } from '../domain/paths.ts'
import { Notice } from './notice.tsx'

/**
 * `admin` is the page of the shop's admin that signs merchants in. It must replace the whole
 * window, not only the frame.
 */
export const AuthMissing = ({ admin }: { admin: string }) => (
  <Notice
    title="You are signed out"
    actions={
      <a class="button" href={admin} target="_top">
        Open it from your shop’s admin
      </a>
    }
  >
    Twinshelf opens from your shop’s admin, which signs you in. If you see this right after opening
    it, your browser blocks the cookie that keeps you signed in: allow it, then open Twinshelf
    again.
  </Notice>
)

export const ErrorPage = ({ admin }: { admin: string }) => (
  <Notice
    title="Something went wrong"
    actions={
      <>
        <a class="button" href={paths.home()}>
          Back to tests
        </a>
        <a class="button secondary" href={admin} target="_top">
          Open it from your shop’s admin
        </a>
      </>
    }
  >
    The page could not be shown. Your shop and its running tests are not affected.
  </Notice>
)
