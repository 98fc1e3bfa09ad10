import type { Lack } from '../domain/platform/kind-needs.ts'
import { Icon } from './icons.tsx'

/** Shown instead of an act that the shop does not let us do: why, and what to do about it. */
export const Lacking = ({ lack: { reason, remedy } }: { lack: Lack }) => (
  <p class="banner" data-tone="warn">
    <Icon name="warning" />
    <span>
      <strong>{reason}</strong> {remedy}
    </span>
  </p>
)
