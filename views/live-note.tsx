/**
 * Says how old the figures of an open page are, and tells screen readers about new ones. Empty
 * until the figures were updated for the first time (islands/live/live-figures.ts).
 */
export const LiveNote = () => (
  <p class="note live-note">
    <span aria-hidden="true" />
    <span class="visually-hidden" role="status" />
  </p>
)
