const ring = '<circle cx="8" cy="8" r="6"/>'

/**
 * Drawn on a 16 × 16 grid with a 1.5 line; `solid` parts are filled. They are text and not
 * elements, because a page has a hundred of them.
 */
const drawings = {
  account:
    '<circle cx="8" cy="5.5" r="2.8"/><path d="M2.8 13.5c.6-2.7 2.7-4 5.2-4s4.6 1.3 5.2 4"/>',
  assist: '<path d="M2.5 11.5 6.5 7.5l2.5 2.5 4.5-5M10 4.5h3.5V8"/>',
  back: '<path d="m10 3.5-4.5 4.5 4.5 4.5"/>',
  bell: '<path d="M3 11.5h10c-1.2-1.2-1.5-2.5-1.5-4.5a3.5 3.5 0 0 0-7 0c0 2-.3 3.3-1.5 4.5ZM6.6 13.8h2.8"/>',
  card: '<rect x="2" y="3.5" width="12" height="9" rx="1.5"/><path d="M2 6.5h12M4.5 10h2.5"/>',
  check: '<path d="m3 8.5 3.2 3L13 4.5"/>',
  clock: `${ring}<path d="M8 4.8V8l2.2 1.6"/>`,
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  crown: '<path d="M2.5 12.5h11M2.5 10.5 1.8 4.2 5 6.6 8 2.5l3 4.1 3.2-2.4-.7 6.3Z"/>',
  down: '<path d="m4 6 4 4 4-4"/>',
  download: '<path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13h10"/>',
  draft: '<circle cx="8" cy="8" r="6" stroke-dasharray="2.6 2.2"/>',
  external: '<path d="M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5"/>',
  eye: '<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z"/><circle cx="8" cy="8" r="2"/>',
  flag: '<path d="M4 14V2.5M4 3h8.5L10.5 6l2 3H4"/>',
  half: `${ring}<path class="solid" d="M8 2a6 6 0 0 1 0 12Z"/>`,
  info: `${ring}<path d="M8 7.5v3.2M8 5.2v.1"/>`,
  link: '<path d="M6.5 9.5 9.5 6.5M7.5 5 9 3.5a2.5 2.5 0 0 1 3.5 3.5L11 8.5M8.5 11 7 12.5A2.5 2.5 0 0 1 3.5 9L5 7.5"/>',
  loser: '<path class="solid" d="M8 13 2 3h12Z"/>',
  keyboard:
    '<rect x="1.5" y="4" width="13" height="8.5" rx="1.5"/><path d="M4.5 7h.1M8 7h.1M11.5 7h.1M5 9.8h6"/>',
  level: '<path d="M3 6h10M3 10h10"/>',
  more: '<circle class="solid" cx="3" cy="8" r="1.4"/><circle class="solid" cx="8" cy="8" r="1.4"/><circle class="solid" cx="13" cy="8" r="1.4"/>',
  next: '<path d="m6 3.5 4.5 4.5L6 12.5"/>',
  pause: '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
  pencil: '<path d="M3 13v-2.5L10.5 3 13 5.5 5.5 13ZM9 4.5 11.5 7"/>',
  person: '<circle cx="8" cy="5.5" r="2.8"/><path d="M2.8 13.5c.6-2.7 2.7-4 5.2-4s4.6 1.3 5.2 4"/>',
  phone: '<rect x="4.5" y="2" width="7" height="12" rx="1.5"/><path d="M7.4 11.8h1.2"/>',
  play: '<path d="M5 3.5v9L12.5 8Z"/>',
  picture: '<path d="M2 3h12v10H2ZM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6v.1"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  print: '<path d="M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7Z"/>',
  redirect: '<path d="M2.5 12.5V9a3 3 0 0 1 3-3h8M10.5 3l3 3-3 3"/>',
  running: `${ring}<circle class="solid" cx="8" cy="8" r="3"/>`,
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3 3"/>',
  settings:
    '<path d="M2 5h5.5M11.5 5H14M2 11h2.5M8.5 11H14"/><circle cx="9.5" cy="5" r="2"/><circle cx="6.5" cy="11" r="2"/>',
  stop: '<rect x="3.5" y="3.5" width="9" height="9" rx="1.5"/>',
  tests: '<path d="M2.5 13.5h11M4 13.5V8h2.5v5.5M9.5 13.5v-10H12v10"/>',
  text: '<path d="M3 4.5V3h10v1.5M8 3v10M6 13h4"/>',
  trash: '<path d="M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9"/>',
  warning: '<path d="M8 2.2 14.3 13.2H1.7ZM8 6.5v3M8 11.4v.1"/>',
  winner: '<path class="solid" d="M8 3 14 13H2Z"/>',
}
export type IconName = keyof typeof drawings
export const iconNames = Object.keys(drawings) as IconName[]

/** Decoration only: there is a word next to it, or the control has a label. */
export const Icon = ({ name, tone }: { name: IconName; tone?: string }) => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    aria-hidden="true"
    data-tone={tone}
    dangerouslySetInnerHTML={{ __html: drawings[name] }}
  />
)

/** Two shelves, one bar on each. */
export const Logo = () => (
  <svg viewBox="0 0 22 22" aria-hidden="true">
    <rect x="1" y="9.5" width="20" height="2" rx="1" />
    <rect x="1" y="19.5" width="20" height="2" rx="1" />
    <rect x="3.5" y="2.5" width="5.5" height="6" rx="1.2" />
    <rect class="own" x="13" y="12.5" width="5.5" height="6" rx="1.2" />
  </svg>
)
