/**
 * What a thing is made of, as colours: `dark`, `light` and `edge` shade its body from left to
 * right, `dip` is the second glaze or the stripe of the weave, `rim` the lip, `inside` what is seen
 * over the lip.
 */
export type Tone = {
  dark: string
  light: string
  edge: string
  dip: string
  rim: string
  inside: string
}

export const tones = {
  ash: {
    dark: '#77857c',
    light: '#aeb9ae',
    edge: '#66736b',
    dip: '#e9e4d6',
    rim: '#d8d4c6',
    inside: '#5b4636',
  },
  salt: {
    dark: '#cdc3b0',
    light: '#f4efe4',
    edge: '#b9ad98',
    dip: '#a98b6a',
    rim: '#efe8da',
    inside: '#9d8a70',
  },
  iron: {
    dark: '#4b3a30',
    light: '#8c6a53',
    edge: '#382a23',
    dip: '#b5784a',
    rim: '#7d5a43',
    inside: '#241a15',
  },
  terracotta: {
    dark: '#b4694a',
    light: '#d9946f',
    edge: '#9a563b',
    dip: '#c77d59',
    rim: '#e0a17e',
    inside: '#4f3a2b',
  },
  oat: {
    dark: '#cbbda6',
    light: '#e9dfcd',
    edge: '#b8a98f',
    dip: '#8d7a5e',
    rim: '#f1e9da',
    inside: '#a8987d',
  },
  clay: {
    dark: '#b07a5e',
    light: '#d3a287',
    edge: '#996749',
    dip: '#efdcc9',
    rim: '#dfb59d',
    inside: '#7f543d',
  },
  indigo: {
    dark: '#3b4a68',
    light: '#65769a',
    edge: '#303c56',
    dip: '#d8d4c6',
    rim: '#7c8cad',
    inside: '#28324a',
  },
  cream: {
    dark: '#d9cfb8',
    light: '#f8f2e2',
    edge: '#c6baa0',
    dip: '#7a4a2b',
    rim: '#fbf6ea',
    inside: '#6b5f52',
  },
  forest: {
    dark: '#3c5548',
    light: '#6b8b79',
    edge: '#304539',
    dip: '#c9a06c',
    rim: '#83a08f',
    inside: '#25352c',
  },
  night: {
    dark: '#2f3a45',
    light: '#5d6d7c',
    edge: '#252e37',
    dip: '#c9a06c',
    rim: '#738494',
    inside: '#1b2229',
  },
  oak: {
    dark: '#b98f5d',
    light: '#ddb885',
    edge: '#a07848',
    dip: '#8f6a3f',
    rim: '#e6c698',
    inside: '#94703f',
  },
  walnut: {
    dark: '#6a4831',
    light: '#94694b',
    edge: '#573a27',
    dip: '#4a3020',
    rim: '#a57a59',
    inside: '#3f2a1c',
  },
  cherry: {
    dark: '#9c5a39',
    light: '#c98a63',
    edge: '#854a2e',
    dip: '#733f26',
    rim: '#d69c77',
    inside: '#6b3b24',
  },
} satisfies Record<string, Tone>
export type ToneName = keyof typeof tones

/** The setting of a picture: the wall from top to bottom, the shelf and its lit edge. */
export const rooms = {
  warm: { top: '#efe7da', bottom: '#e0d4c2', shelf: '#b98f66', edge: '#cda67e', shadow: '#7a5a3d' },
  sage: { top: '#e2e6dc', bottom: '#c9d1c4', shelf: '#8f7f66', edge: '#a89879', shadow: '#5f543f' },
  clay: { top: '#eeddd0', bottom: '#dcc2ae', shelf: '#9a6c4b', edge: '#b5855f', shadow: '#63432c' },
  mist: { top: '#e6e8e6', bottom: '#cfd4d2', shelf: '#a38d74', edge: '#bba68b', shadow: '#6e5d49' },
} as const
export type RoomName = keyof typeof rooms
