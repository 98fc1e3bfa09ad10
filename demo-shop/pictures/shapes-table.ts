import type { Shape } from './shapes.ts'

const shadow = (rx: number, x = 200) => `<ellipse class="s" cx="${x}" cy="310" rx="${rx}" ry="11"/>`
/** The lip of a round vessel seen from slightly above, and what is in it. */
const mouth = (cx: number, cy: number, rx: number, ry: number, rim: string, inside: string) =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${rim}"/><ellipse cx="${cx}" cy="${cy + 2}" rx="${rx - 10}" ry="${ry - 4}" fill="${inside}"/>`

export const mug: Shape = ({ body, dark, dip, rim, inside }) => `${shadow(104, 196)}
<path d="M262 168c54-10 74 26 62 62-9 29-36 42-68 40" fill="none" stroke="${dark}" stroke-width="20" stroke-linecap="round"/>
<path d="M108 132h170l-10 150c-1 16-10 26-26 26h-98c-16 0-25-10-26-26Z" fill="${body}"/>
<path d="M108 132h170l-3 44c-26 14-52-8-82 4-30 11-56 2-82-6Z" fill="${dip}" opacity=".85"/>
${mouth(193, 132, 85, 17, rim, inside)}`

export const tumbler: Shape = ({ body, dip, rim, inside }) => `${shadow(74)}
<path d="M130 92h140l-9 92c-3 26-3 40 0 62l4 42c1 14-8 20-20 20h-90c-12 0-21-6-20-20l4-42c3-22 3-36 0-62Z" fill="${body}"/>
<path d="M130 92h140l-5 52c-24 16-44-8-70 2-24 9-42 6-60-4Z" fill="${dip}" opacity=".8"/>
<path d="M141 226c38 10 80 10 118 0" fill="none" stroke="#fff" stroke-opacity=".16" stroke-width="3"/>
${mouth(200, 92, 70, 13, rim, inside)}`

export const bowl: Shape = ({ body, dip, rim, inside, edge }) => `${shadow(92)}
<path d="M158 296h84l6 12h-96Z" fill="${edge}"/>
<path d="M76 176h248c2 70-46 124-104 124h-40C122 300 74 246 76 176Z" fill="${body}"/>
<path d="M76 176h248c0 14-2 26-6 38-34 18-62-8-100 4-44 14-92 16-136-2-4-12-6-26-6-40Z" fill="${dip}" opacity=".6"/>
<path d="M96 244c62 18 146 18 208 0M118 272c50 12 114 12 164 0" fill="none" stroke="#fff" stroke-opacity=".12" stroke-width="3"/>
${mouth(200, 176, 124, 24, rim, inside)}`

export const wideBowl: Shape = ({ body, dip, rim, inside, edge }) => `${shadow(112)}
<path d="M146 298h108l6 10H140Z" fill="${edge}"/>
<path d="M44 222h312c-4 46-58 80-124 80h-64C102 302 48 268 44 222Z" fill="${body}"/>
<path d="M44 222h312c-1 12-5 22-12 32-50 16-86-6-134 4-56 12-112 12-154-4-7-10-11-20-12-32Z" fill="${dip}" opacity=".55"/>
${mouth(200, 222, 156, 26, rim, inside)}`

const round =
  (cy: number, r: number): Shape =>
  ({ flat, dip, rim, edge }) =>
    `${shadow(r * 0.62)}
<circle cx="200" cy="${cy}" r="${r}" fill="${edge}"/><circle cx="200" cy="${cy - 2}" r="${r - 2}" fill="${flat}"/>
<path d="M${200 - r + 4} ${cy + 6}a${r - 4} ${r - 4} 0 0 0 ${2 * r - 8} 0c-${r * 0.4} ${r * 0.3}-${r * 0.8} ${r * 0.1}-${r} ${r * 0.24}-${r * 0.3} ${r * 0.14}-${r * 0.7} ${r * 0.1}-${r - 8}-${r * 0.24}Z" fill="${dip}" opacity=".5"/>
<circle cx="200" cy="${cy - 2}" r="${r - 2}" fill="none" stroke="${rim}" stroke-width="3"/>
<circle cx="200" cy="${cy}" r="${r * 0.66}" fill="none" stroke="#000" stroke-opacity=".12" stroke-width="5"/>
<circle cx="200" cy="${cy - 3}" r="${r * 0.66}" fill="none" stroke="#fff" stroke-opacity=".28" stroke-width="2"/>
<path d="M${200 - r * 0.42} ${cy - r * 0.12}a${r * 0.46} ${r * 0.46} 0 0 1 ${r * 0.4}-${r * 0.34}" fill="none" stroke="#fff" stroke-opacity=".3" stroke-width="6" stroke-linecap="round"/>`
/** Propped up against the wall. */
export const plate: Shape = round(180, 128)
export const smallPlate: Shape = round(214, 94)

const cup =
  (x: number): Shape =>
  ({ body, dark, dip, rim, inside }) =>
    `${shadow(58, x)}
<path d="M${x + 44} 216c34-6 42 16 34 36-6 16-20 22-38 20" fill="none" stroke="${dark}" stroke-width="11" stroke-linecap="round"/>
<path d="M${x - 52} 196h104l-8 94c-1 12-8 18-18 18h-52c-10 0-17-6-18-18Z" fill="${body}"/>
<path d="M${x - 52} 196h104l-3 32c-18 10-34-6-52 2-18 8-34 4-47-4Z" fill="${dip}" opacity=".85"/>
${mouth(x, 196, 52, 11, rim, inside)}`
export const cupPair: Shape = paint => cup(112)(paint) + cup(266)(paint)
