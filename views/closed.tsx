import type { ComponentChildren } from 'preact'
import { aboutCapability, closedMessage, opensWith, type Capability } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { Notice } from './notice.tsx'

type ClosedProps = {
  capability: Capability
  /** Path of the page that shows it, for the dialog that opens over that page. */
  at: string
  /** Replaces "… is not part of your plan". */
  title?: string
  /** Text after the description and what opens the feature. */
  children?: ComponentChildren
}

/**
 * Shown instead of a feature that is closed to the store: what the feature is, and which plan, or
 * who, opens it. It comes below the page's own title.
 */
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

/**
 * The link to the plan that opens a feature, in a dialog over the page; or to support, when only we
 * can open it. The link loads the whole page, because the dialog does not come with a part of it.
 */
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
