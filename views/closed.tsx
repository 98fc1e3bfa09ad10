import type { ComponentChildren } from 'preact'
import { aboutCapability, closedMessage, opensWith, type Capability } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { Notice } from './notice.tsx'

type ClosedProps = {
  capability: Capability
  /** In place of "… is not part of your plan". */
  title?: string
  /** Said after what it is and what opens it. */
  children?: ComponentChildren
}

/** In place of a feature that is closed to the store: what it is, and which plan opens it or who does. Stands below the page's own title. */
export function Closed({ capability, title, children }: ClosedProps) {
  const { name, verb, what } = aboutCapability(capability)
  return (
    <Notice level={2} title={title ?? (opensWith(capability) ? `${name} ${verb} not part of your plan` : `${name} ${verb} off for your store`)} actions={<ClosedAction capability={capability} />}>
      {what} {closedMessage(capability)}{children && <> {children}</>}
    </Notice>
  )
}

/** Where to have it opened: the plans, or us where only we can. */
export const ClosedAction = ({ capability, class: classes = 'button' }: { capability: Capability; class?: string }) => (opensWith(capability)
  ? <a class={classes} href={paths.settings('billing')}>See plans</a>
  : <a class={classes} href={paths.settings('support')}>Contact support</a>)
