/** @jsxImportSource react */
const drawings = {
  check: 'm3 8.5 3.2 3L13 4.5',
  plus: 'M8 3v10M3 8h10',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H7',
  redo: 'm10.5 3 3 3-3 3M13.5 6H6a3.5 3.5 0 0 0 0 7h3',
  crown: 'M2.5 12.5h11M2.5 10.5 1.8 4.2 5 6.6 8 2.5l3 4.1 3.2-2.4-.7 6.3Z',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  warning: 'M8 2.2 14.3 13.2H1.7ZM8 6.5v3M8 11.4v.1',
  pick: 'M3 2.5 13 7 8.6 8.6 7 13ZM8.6 8.6l4.4 4.4',
  move: 'M8 1.8v12.4M1.8 8h12.4M6 3.8l2-2 2 2M6 12.2l2 2 2-2M3.8 6l-2 2 2 2M12.2 6l2 2-2 2',
  text: 'M3 4.5V3h10v1.5M8 3v10M6 13h4',
  style: 'M8 2.2c2.5 3 4 4.8 4 7a4 4 0 0 1-8 0c0-2.2 1.5-4 4-7Z',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  hide: 'M2 2l12 12M6.5 3.7A7 7 0 0 1 8 3.5c4 0 6.5 4.5 6.5 4.5a12 12 0 0 1-1.7 2.2M4 5C2.4 6.2 1.5 8 1.5 8S4 12.5 8 12.5c1.2 0 2.3-.4 3.2-1',
  picture: 'M2 3h12v10H2ZM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6v.1',
  desktop:
    'M3 2.8h10a1.3 1.3 0 0 1 1.3 1.3v5.8a1.3 1.3 0 0 1-1.3 1.3H3a1.3 1.3 0 0 1-1.3-1.3V4.1A1.3 1.3 0 0 1 3 2.8ZM5.5 13.7h5',
  clock: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.8V8l2.2 1.6',
  phone:
    'M6 1.8h4a1.5 1.5 0 0 1 1.5 1.5v9.4a1.5 1.5 0 0 1-1.5 1.5H6a1.5 1.5 0 0 1-1.5-1.5V3.3A1.5 1.5 0 0 1 6 1.8ZM7.2 12h1.6',
}
export type IconName = keyof typeof drawings

/** Decoration only: a word is beside it, or the control has a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  )
}
