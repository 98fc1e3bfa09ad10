import type { ComponentChildren } from 'preact'
import { aboutCapability, closedMessage, opensWith, type Capability } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { Notice } from './notice.tsx'

type ClosedProps = {
  capability: Capability
  /** The page it stands on, for the dialog that opens over it. */
  at: string
  /** In place of "… is not part of your plan". */
  title?: string
  /** Said after what it is and what opens it. */
  children?: ComponentChildren
}

/** In place of a feature that is closed to the store: what it is, and which plan opens it or who does. Stands below the page's own title. */
export function Closed({ capability, at, title, children }: ClosedProps) {
  const { name, verb, what } = aboutCapability(capability)
  return (
    <Notice
      level={2}
      title={
        title ??
        (opensWith(capability)
          ? `${name} ${verb} not part of your plan`
          : `${name} ${verb} off for your store`)
      }
      actions={<ClosedAction capability={capability} at={at} />}
    >
      {what} {closedMessage(capability)}
      {children && <> {children}</>}
    </Notice>
  )
}

/** Where to have it opened: the plan that does it, over the page itself, or us where only we can. The dialog comes with the whole page, not with a part of it. */
export function ClosedAction({
  capability,
  at,
  class: classes = 'button',
}: Pick<ClosedProps, 'capability' | 'at'> & { class?: string }) {
  const level = opensWith(capability)
  return level ? (
    <a class={classes} href={paths.upgrade(at, capability)} hx-boost="false">
      See the {level} plan
    </a>
  ) : (
    <a class={classes} href={paths.settings('support')}>
      Contact support
    </a>
  )
}
