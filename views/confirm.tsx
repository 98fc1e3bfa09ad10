import type { ComponentChildren } from 'preact'

type ConfirmProps = {
  id: string
  title: string
  /** Where the act is posted to. */
  action: string
  /** What the button does, in the merchant's words, and what the other one does instead. */
  act: string
  keep: string
  tone?: 'danger' | 'secondary'
  children: ComponentChildren
}

/** A dialog that names an act and what it costs. A button with `commandfor` opens it, before any script runs. */
export function Confirm({ id, title, action, act, keep, tone = 'danger', children }: ConfirmProps) {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`}>
      <form class="modal" method="post" action={action}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p class="muted">{children}</p>
        <footer>
          <button class="secondary" type="button" command="close" commandfor={id}>{keep}</button>
          <button class={tone}>{act}</button>
        </footer>
      </form>
    </dialog>
  )
}
