import { previewParameter } from '../domain/script-config.ts'
import { cover, guarded } from './guard.ts'
import { read, write } from './storage.ts'

const key = '_ts_preview'

/**
 * The token of a preview this tab is in, from the link or an earlier page. Session storage is slow to open, so it is
 * looked into only in a browser that has seen a preview: a merchant's, not a shopper's.
 */
export const previewToken = (): string | null | undefined =>
  location.search.match(`[?&]${previewParameter}=([^&]+)`)?.[1] ?? (read(key) && sessionStorage.getItem(key))

/** Fetches the preview script for a token; the page is covered meanwhile. A token that is refused ends the preview. */
export function loadPreview(url: string, token: string): void {
  guarded(() => sessionStorage.setItem(key, token))()
  write(key, '1')
  const uncover = cover()
  const script = document.createElement('script')
  script.src = `${url}?token=${token}`
  script.addEventListener('load', uncover)
  script.addEventListener('error', () => {
    endPreview()
    uncover()
  })
  document.head.append(script)
}

export const endPreview = guarded(() => sessionStorage.removeItem(key))
