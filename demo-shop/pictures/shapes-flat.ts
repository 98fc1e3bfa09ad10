import type { Shape } from './shapes.ts'

const shadow = (rx: number, x = 200) => `<ellipse class="s" cx="${x}" cy="310" rx="${rx}" ry="11"/>`
const peg = (x: number, y: number) =>
  `<circle cx="${x}" cy="${y}" r="8" fill="#8b6743"/><circle cx="${x - 2}" cy="${y - 2}" r="4" fill="#b98f66"/>`

export const apron: Shape = ({
  flat,
  edge,
  dark,
  dip,
}) => `<path class="s" d="M166 84h78l8 66c16 8 34 14 42 18l10 130H112l10-130c8-4 26-10 36-18Z" transform="translate(9 8)"/>
<path d="M168 90c-2-44 66-44 64 0" fill="none" stroke="${edge}" stroke-width="9"/>${peg(200, 54)}
<path d="M120 168c-22 12-34 36-38 64M280 168c22 12 34 36 38 64" fill="none" stroke="${edge}" stroke-width="7" stroke-linecap="round"/>
<path d="M162 84h76l8 62c14 10 30 16 42 20l8 130c-60 10-132 10-192 0l8-130c12-4 28-10 42-20Z" fill="${flat}"/>
<path d="M162 84h76l2 14h-80Z" fill="${edge}" opacity=".55"/>
<path d="M146 198h108v50c0 10-6 16-16 16h-76c-10 0-16-6-16-16Z" fill="${dark}" opacity=".5"/><path d="M146 198h108v9H146Z" fill="${dip}" opacity=".6"/><path d="M200 207v56" stroke="${edge}" stroke-width="2" stroke-dasharray="5 4"/>
<path d="M126 190c-4 34-6 68-6 102M274 190c4 34 6 68 6 102M188 108c2 30 0 50-3 82" fill="none" stroke="#000" stroke-opacity=".08" stroke-width="5"/>`

const cloth = (
  x: number,
  width: number,
  length: number,
  { flat, dip, edge }: Parameters<Shape>[0],
) => `
<path d="M${x} 96h${width}v${length}c-${width / 3} 8-${(width * 2) / 3}-6-${width} 2Z" fill="${flat}"/>
${[0.7, 0.76, 0.86].map((part, i) => `<path d="M${x} ${96 + length * part}h${width}" stroke="${dip}" stroke-width="${i === 2 ? 3 : 8}" opacity=".7"/>`).join('')}
<path d="M${x + width * 0.3} 100c4 ${length * 0.3}-4 ${length * 0.6} 0 ${length - 8}M${x + width * 0.68} 100c-5 ${length * 0.3} 4 ${length * 0.6} 0 ${length - 8}" fill="none" stroke="#000" stroke-opacity=".09" stroke-width="5"/>
<path d="M${x} 96h${width}v14H${x}Z" fill="${edge}" opacity=".5"/>`
export const towel: Shape =
  paint => `<path class="s" d="M104 104h94v172h-94ZM222 104h90v140h-90Z" transform="translate(7 7)"/>
${cloth(98, 98, 176, paint)}${cloth(214, 92, 142, paint)}
<rect x="62" y="84" width="276" height="13" rx="6.5" fill="#8b6743"/><rect x="62" y="84" width="276" height="5" rx="2.5" fill="#b98f66"/>${peg(76, 90)}${peg(324, 90)}`

export const napkins: Shape = ({ flat, edge, dark, dip, rim }) => `${shadow(128)}
${[0, 1, 2].map(i => `<path d="M82 ${288 - i * 20}h236a10 10 0 0 1 0 20H82a10 10 0 0 1 0-20Z" fill="${flat}"/><path d="M92 ${306 - i * 20}h216" stroke="${edge}" stroke-width="3" opacity=".7"/><path d="M318 ${292 - i * 20}a6 6 0 0 1 0 12" fill="none" stroke="${edge}" stroke-width="2.5"/>`).join('')}
<path d="M128 246c-16-30-34-62-34-96 30 4 54 18 74 40 4-36 16-66 38-92 20 26 30 56 32 92 22-22 46-34 76-36-4 34-24 64-44 92Z" fill="${flat}"/>
<path d="M168 190c6 20 10 38 12 56M238 190c-6 20-10 38-12 56M206 100c-2 50-2 98 0 146" fill="none" stroke="${dark}" stroke-width="3" opacity=".7"/>
<path d="M94 150c30 4 54 18 74 40M206 98c20 26 30 56 32 92M314 154c-30 2-54 14-76 36" fill="none" stroke="${rim}" stroke-width="3"/>
<path d="M130 232h142c6 0 8 4 6 10l-6 12c-2 6-6 8-12 8H142c-6 0-10-2-12-8l-6-12c-2-6 0-10 6-10Z" fill="#b98f5d"/><path d="M128 236h146" stroke="${dip}" stroke-width="2" opacity=".5"/>`

export const runner: Shape = ({ flat, edge, dip }) => `<path class="s" d="M30 250h340v60H30Z"/>
<path d="M24 206h352l-14 18H38Z" fill="#8b6743"/><path d="M38 224h324v14H38Z" fill="#6f5034"/><path d="M56 238h18v70H56ZM326 238h18v70h-18Z" fill="#6f5034"/>
<path d="M52 172h296l28 34H24Z" fill="#a97f55"/>
<path d="M148 172h104l14 34H134Z" fill="${flat}"/><path d="M134 206h132l2 78c-44 8-92-6-136 2Z" fill="${flat}"/>
<path d="M134 246h133M133 256h135" stroke="${dip}" stroke-width="5" opacity=".7"/><path d="M134 206h132" stroke="${edge}" stroke-width="4"/>
${Array.from({ length: 14 }, (_, i) => `<path d="M${137 + i * 10} 283v16" stroke="${edge}" stroke-width="3" stroke-linecap="round"/>`).join('')}
<path d="M176 212c4 24-2 50 0 70M224 212c-4 24 4 48 0 70" fill="none" stroke="#000" stroke-opacity=".08" stroke-width="5"/>`

const hung =
  (head: string): Shape =>
  ({ body, edge, dark, rim }) =>
    `<g transform="rotate(9 200 60)"><path class="s" d="M194 64h20v150h-20Z" transform="translate(9 9)"/>
<path d="M190 74c0-16 20-16 20 0l3 126h-26Z" fill="${body}"/><path d="M188 62c0-8 24-8 24 0l-2 34h-20Z" fill="${dark}"/><circle cx="200" cy="70" r="4.5" fill="${edge}"/>
${head.replaceAll('BODY', body).replaceAll('EDGE', edge).replaceAll('RIM', rim)}<path d="M196 104c2 30-2 60 1 92" fill="none" stroke="${edge}" stroke-opacity=".5" stroke-width="2"/></g>${peg(200, 64)}`
export const spoon: Shape =
  hung(`<path d="M187 196c-30 14-44 36-44 58 0 30 24 48 57 48s57-18 57-48c0-22-14-44-44-58Z" fill="BODY"/>
<ellipse cx="200" cy="254" rx="42" ry="38" fill="EDGE" opacity=".55"/><path d="M168 246c6-16 18-24 34-26" fill="none" stroke="RIM" stroke-opacity=".7" stroke-width="6" stroke-linecap="round"/>`)
export const spatula: Shape =
  hung(`<path d="M187 190c-20 12-36 26-38 48l-4 50c-1 8 4 12 12 12h86c8 0 13-4 12-12l-4-50c-2-22-18-36-38-48Z" fill="BODY"/>
<path d="M148 284h104" stroke="RIM" stroke-width="5"/><path d="M176 216v62M200 210v68M224 216v62" stroke="EDGE" stroke-width="7" stroke-linecap="round" opacity=".7"/>`)

export const board: Shape = ({ body, edge, light, inside }) => `${shadow(104)}
<path d="M112 118c0-18 10-28 28-28h26c10 0 12-6 12-16V58c0-14 8-22 22-22s22 8 22 22v16c0 10 2 16 12 16h26c18 0 28 10 28 28v176c0 10-6 14-14 14H126c-8 0-14-4-14-14Z" fill="${edge}" transform="translate(5 0)"/>
<path d="M112 118c0-18 10-28 28-28h26c10 0 12-6 12-16V58c0-14 8-22 22-22s22 8 22 22v16c0 10 2 16 12 16h26c18 0 28 10 28 28v176c0 10-6 14-14 14H126c-8 0-14-4-14-14Z" fill="${body}"/>
<circle cx="200" cy="58" r="9" fill="${inside}"/>
<path d="M132 300c-4-70 6-130 0-198M158 304c4-60-10-100-2-206M186 304c-6-70 14-110 2-196M214 304c10-60-8-120 2-200M242 304c-6-80 8-130 2-204M268 302c4-60-4-140 0-186" fill="none" stroke="${inside}" stroke-opacity=".35" stroke-width="2.5"/>
<ellipse cx="172" cy="206" rx="9" ry="17" fill="none" stroke="${inside}" stroke-opacity=".4" stroke-width="2.5"/><path d="M124 126c0-14 8-22 20-24" fill="none" stroke="${light}" stroke-width="5" stroke-linecap="round"/>`
