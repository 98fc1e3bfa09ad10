/** Empty until the figures of an open page have been brought up to date (islands/live/live-figures.ts): how old they are, and what a screen reader is told. */
export const LiveNote = () => (
  <p class="note live-note">
    <span aria-hidden="true" />
    <span class="visually-hidden" role="status" />
  </p>
)
