import { previewParameter } from '../../domain/script/script-config.ts'
import { cover } from '../guard.ts'

/**
 * The token of the preview that this tab is in, from the link or from an earlier page. The tab's
 * name keeps it: the name survives the page and goes with the tab.
 */
export const previewToken = (): string | undefined =>
  `${location.search} ${window.name}`.match(`${previewParameter}=([^& ]+)`)?.[1]

/** Fetches the preview script for a token. The page stays covered until it has run. */
export const loadPreview = (url: string): unknown =>
  (import(url) as Promise<unknown>).catch(() => {}).then(cover())

/**
 * Called by the preview script, which only a valid token brings: this tab stays in its preview. A
 * frame belongs to the editor and keeps its name.
 */
export function rememberPreview(token: string): void {
  if (window.top === window) window.name = `${previewParameter}=${token}`
}

export function endPreview(): void {
  if (window.top === window) window.name = ''
}
