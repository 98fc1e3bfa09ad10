import { previewParameter } from '../domain/script-config.ts'
import { cover, guarded } from './guard.ts'
import { readArea } from './storage.ts'

const key = '_ts_preview'

/** The token of a preview this tab is in, from the link or an earlier page. */
export const previewToken = (): string | null => location.search.match(`[?&]${previewParameter}=([^&]+)`)?.[1] ?? readArea('sessionStorage', key)

/** Fetches the preview script for a token; the page is covered meanwhile. A token that is refused ends the preview. */
export function loadPreview(url: string, token: string): void {
  guarded(() => sessionStorage.setItem(key, token))()
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
