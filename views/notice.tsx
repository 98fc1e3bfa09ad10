import type { ComponentChildren } from 'preact'

type NoticeProps = {
  title: string
  children: ComponentChildren
  /** What the merchant can do about it. */
  actions?: ComponentChildren
  /** Below the text, above the actions. */
  more?: ComponentChildren
  /** Level of the heading: 2 when the page has its own title above it. */
  level?: 1 | 2
  /** Id of a failed request, for support. */
  uuid?: string
}

/** One message and what to do about it: for errors, missing pages and guests. */
export const Notice = ({ title, children, more, actions, level = 1, uuid }: NoticeProps) => (
  <section class="card empty">
    <svg viewBox="0 0 72 56" aria-hidden="true">
      <rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" />
      <rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" />
      <rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" />
      <rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" />
    </svg>
    {level === 1 ? <h1>{title}</h1> : <h2>{title}</h2>}
    <p>{children}</p>
    {more}
    {actions && <div class="row">{actions}</div>}
    {uuid && (
      <p class="note">
        Request <code>{uuid}</code>
      </p>
    )}
  </section>
)
