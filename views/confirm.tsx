import type { ComponentChildren } from 'preact'

type ConfirmProps = {
  id: string
  title: string
  /** Where the act is posted to. */
  action: string
  /** What the button does, in the merchant's words, and what the other one does instead. */
  act: string
  keep: string
  tone?: 'danger' | 'secondary' | 'primary'
  /** Sent along unseen. */
  fields?: Record<string, string>
  /** Opened by the server: the act was asked for by a link. */
  isOpen?: boolean
  /** Below what it says: a list, or what else is asked for. */
  more?: ComponentChildren
  children: ComponentChildren
}

/** A dialog that names an act and what it costs. A button with `commandfor` opens it, before any script runs. */
export function Confirm({
  id,
  title,
  action,
  act,
  keep,
  tone = 'danger',
  fields = {},
  isOpen = false,
  more,
  children,
}: ConfirmProps) {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} open={isOpen}>
      <form class="modal" method="post" action={action}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p class="muted">{children}</p>
        {more}
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <footer>
          <button class="secondary" type="button" command="close" commandfor={id}>
            {keep}
          </button>
          <button class={tone === 'primary' ? undefined : tone}>{act}</button>
        </footer>
      </form>
    </dialog>
  )
}
