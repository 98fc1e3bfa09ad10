import type { ComponentChildren } from 'preact'
import { Close } from './modal.tsx'

type ConfirmProps = {
  id: string
  title: string
  /** Where the act is posted to. */
  action: string
  /** The page without the dialog. */
  closed: string
  /** Labels of the button that acts, and of the link that closes the dialog. */
  act: string
  keep: string
  tone?: 'danger' | 'secondary' | 'primary'
  /** Hidden fields of the form. */
  fields?: Record<string, string>
  /** Open from the start, because a link asked for the act. */
  isOpen?: boolean
  /** Below the text: a list, or further fields. */
  more?: ComponentChildren
  children: ComponentChildren
}

/**
 * A dialog that names an act and its consequences. A link with `opens` opens it (modal.tsx).
 */
export function Confirm({
  id,
  title,
  action,
  closed,
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
          <Close href={closed}>{keep}</Close>
          <button class={tone === 'primary' ? undefined : tone}>{act}</button>
        </footer>
      </form>
    </dialog>
  )
}
