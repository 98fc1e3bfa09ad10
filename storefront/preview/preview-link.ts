import { previewParameter } from '../../domain/script/script-config.ts'
import { cover } from '../guard.ts'

/** The token of a preview this tab is in, from the link or an earlier page: the tab's name outlives the page and goes with the tab. */
export const previewToken = (): string | undefined =>
  `${location.search} ${window.name}`.match(`${previewParameter}=([^& ]+)`)?.[1]

/** Fetches the preview script for a token; the page is covered meanwhile. */
export const loadPreview = (url: string): unknown =>
  (import(url) as Promise<unknown>).catch(() => {}).then(cover())

/** Said by the preview script, which only a good token brings: this tab continues in its preview. A frame is the editor's, and keeps its name. */
export function rememberPreview(token: string): void {
  if (window.top === window) window.name = `${previewParameter}=${token}`
}

export function endPreview(): void {
  if (window.top === window) window.name = ''
}
