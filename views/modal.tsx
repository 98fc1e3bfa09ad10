import type { ComponentChildren } from 'preact'

/**
 * Attributes of a link that opens a dialog of this page. Without script it leads to `href`, where
 * the server answers with the dialog open (islands/page/modals.ts).
 */
export const opens = (dialog: string, href: string) => ({
  href,
  'data-modal': dialog,
  'aria-haspopup': 'dialog' as const,
})

/** The address of a page with a dialog open. */
export const asking = (page: string, ask: string): string =>
  `${page}${page.includes('?') ? '&' : '?'}ask=${ask}`

/** Closes the dialog around it. `href` is the page without the dialog. */
export const Close = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a class="button secondary" href={href} data-close>
    {children}
  </a>
)
