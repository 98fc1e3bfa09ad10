import type { Shape } from './shapes.ts'

const shadow = (rx: number, x = 200) => `<ellipse class="s" cx="${x}" cy="310" rx="${rx}" ry="11"/>`
const leaf = (x: number, y: number, turn: number, size = 1) =>
  `<path transform="translate(${x} ${y}) rotate(${turn}) scale(${size})" d="M0 0c10-16 34-20 50-8-16 16-36 20-50 8Z" fill="#6f7f5b"/>`

export const jug: Shape = ({ body, dark, dip, rim, inside }) => `${shadow(82)}
<path d="M256 138c58-8 72 40 58 78-11 30-34 44-62 44" fill="none" stroke="${dark}" stroke-width="18" stroke-linecap="round"/>
<path d="M128 96c-6-8-18-14-30-16 8 18 22 34 36 46 6 34-4 56-14 82-22 56 2 100 46 100h74c44 0 66-44 46-98-12-30-20-60-16-114Z" fill="${body}"/>
<path d="M128 96c-6-8-18-14-30-16 8 18 22 34 36 46l-2 34c30 14 48-8 74-2 24 6 42 14 66 2-2-20-3-40-2-64Z" fill="${dip}" opacity=".8"/>
<path d="M98 80c14 2 30 8 36 14 40-10 100-10 136 2-34 14-100 16-138 6-14-4-28-12-34-22Z" fill="${rim}"/><path d="M140 98c36-7 86-6 116-1-30 8-86 9-116 1Z" fill="${inside}"/>`

export const teapot: Shape = ({ body, dark, light, dip, rim, edge }) => `${shadow(112)}
<path d="M292 212c40-4 44-44 66-66l16 12c-14 24-18 92-76 108Z" fill="${dark}"/>
<path d="M104 190c-52-14-74 14-66 50 7 32 38 46 76 38" fill="none" stroke="${dark}" stroke-width="17" stroke-linecap="round"/>
<path d="M92 224c0-56 48-88 108-88s108 32 108 88-40 84-72 84h-72c-32 0-72-28-72-84Z" fill="${body}"/>
<path d="M96 202c12-42 54-66 104-66s92 24 104 66c-30 20-56-6-96 4-40 10-78 12-112-4Z" fill="${dip}" opacity=".75"/>
<ellipse cx="200" cy="140" rx="52" ry="11" fill="${edge}"/><path d="M150 138c6-20 28-28 50-28s44 8 50 28c-26 8-74 8-100 0Z" fill="${light}"/>
<circle cx="200" cy="102" r="12" fill="${rim}"/><circle cx="197" cy="99" r="4" fill="#fff" opacity=".4"/>`

export const kettle: Shape = ({ body, dark, edge, dip, rim }) => `${shadow(118)}
<path d="M284 214c38-6 48-38 78-52l12 18c-26 20-34 66-84 74Z" fill="${dark}"/>
<path d="M116 168c0-104 168-104 168 0" fill="none" stroke="${edge}" stroke-width="9"/><path d="M146 102c24-26 84-26 108 0" fill="none" stroke="${dip}" stroke-width="22" stroke-linecap="round"/>
<path d="M118 172c24-22 140-22 164 0 22 28 34 72 34 108 0 20-10 28-30 28H114c-20 0-30-8-30-28 0-36 12-80 34-108Z" fill="${body}"/>
<path d="M86 268c70 14 158 14 228 0v12c0 20-10 28-28 28H114c-18 0-28-8-28-28Z" fill="#000" opacity=".1"/>
<path d="M142 166c10-18 30-24 58-24s48 6 58 24c-34 8-82 8-116 0Z" fill="${rim}"/><circle cx="200" cy="138" r="11" fill="${dip}"/>
<path d="M120 196c-10 20-16 44-18 64" fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="9" stroke-linecap="round"/>`

export const jar: Shape = ({ body, dip, edge }) => `${shadow(88)}
<path d="M118 178h164v96c0 24-12 34-34 34h-96c-22 0-34-10-34-34Z" fill="${body}"/>
<path d="M118 250c40 14 72-10 108 0 22 6 40 8 56 2v22c0 24-12 34-34 34h-96c-22 0-34-10-34-34Z" fill="${dip}" opacity=".55"/>
<ellipse cx="200" cy="178" rx="82" ry="15" fill="${edge}"/>
<path d="M112 158h176v14c0 10-40 18-88 18s-88-8-88-18Z" fill="#a9814f"/><ellipse cx="200" cy="158" rx="88" ry="16" fill="#d0a873"/>
<path d="M136 156c40-8 88-8 128 0M150 164c30-5 70-5 100 0" fill="none" stroke="#a9814f" stroke-opacity=".6" stroke-width="2"/>
<path d="M190 150c-2-16-4-22 0-26h20c4 4 2 10 0 26Z" fill="#b98f5d"/><ellipse cx="200" cy="123" rx="14" ry="5" fill="#ddb885"/>`

export const budVase: Shape = ({ body, dip, rim, inside }) => `${shadow(70)}
<path d="M202 132c2-40 14-70 36-96M212 84c-14-10-22-22-24-36" fill="none" stroke="#6b5f45" stroke-width="4" stroke-linecap="round"/>
${leaf(236, 40, -50)}${leaf(222, 66, 10, 0.9)}${leaf(214, 88, -160, 0.8)}${leaf(189, 50, -120, 0.8)}${leaf(208, 108, 30, 0.7)}
<path d="M178 126c0-8 44-8 44 0l-5 68c36 16 54 42 50 74-4 28-24 40-67 40s-63-12-67-40c-4-32 14-58 50-74Z" fill="${body}"/>
<path d="M178 126h44l-5 68c8 4 15 8 21 12-14 14-32 0-48 8-10 5-20 4-28-6 6-5 13-10 21-14Z" fill="${dip}" opacity=".7"/>
<ellipse cx="200" cy="125" rx="22" ry="6" fill="${rim}"/><ellipse cx="200" cy="126" rx="15" ry="3.5" fill="${inside}"/>`

export const moonVase: Shape = ({ body, dip, rim, inside }) => `${shadow(84)}
<path d="M196 120c-4-36-26-62-58-82M170 70c4-14 12-26 26-34M204 116c8-26 26-46 52-56" fill="none" stroke="#6b5f45" stroke-width="4" stroke-linecap="round"/>
${leaf(140, 40, 170, 0.9)}${leaf(158, 56, -70, 0.8)}${leaf(196, 38, -40, 0.8)}${leaf(178, 82, 160, 0.8)}${leaf(254, 62, -10, 0.9)}${leaf(228, 80, -80, 0.7)}
<path d="M166 120h68v18c46 12 76 46 76 86 0 50-46 84-110 84S90 274 90 224c0-40 30-74 76-86Z" fill="${body}"/>
<path d="M92 236c40 12 66-12 104-4 40 8 76 12 113-2-4 46-48 78-109 78S98 280 92 236Z" fill="${dip}" opacity=".3"/>
<path d="M124 190c10-18 26-30 44-36" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="10" stroke-linecap="round"/>
<ellipse cx="200" cy="120" rx="34" ry="8" fill="${rim}"/><ellipse cx="200" cy="121" rx="25" ry="5" fill="${inside}"/>`

export const planter: Shape = ({ body, rim, edge, inside }) => `${shadow(98)}
<path d="M200 176c-6-40-30-62-52-72M200 176c2-50 4-80 0-116M202 176c8-38 30-58 54-66M198 172c-18-14-46-22-74-18M204 172c18-14 44-20 70-16" fill="none" stroke="#5d6b3a" stroke-width="4" stroke-linecap="round"/>
${leaf(150, 106, 190)}${leaf(170, 122, -90)}${leaf(200, 64, -70, 1.1)}${leaf(200, 92, -150, 0.9)}${leaf(202, 112, -20, 0.9)}${leaf(254, 112, -20)}${leaf(228, 134, -90, 0.8)}${leaf(128, 156, 180)}${leaf(160, 160, 110, 0.7)}${leaf(270, 158, 0)}${leaf(244, 160, 70, 0.7)}
<path d="M106 302c0-8 20-12 94-12s94 4 94 12-12 8-24 8H130c-12 0-24 0-24-8Z" fill="${edge}"/>
<path d="M120 196h160l-18 88c-2 12-8 16-18 16h-88c-10 0-16-4-18-16Z" fill="${body}"/>
<path d="M108 172h184v18c0 10-6 14-14 14H122c-8 0-14-4-14-14Z" fill="${rim}"/><ellipse cx="200" cy="173" rx="92" ry="12" fill="${edge}"/><ellipse cx="200" cy="174" rx="82" ry="8" fill="${inside}"/>`

export const candle: Shape = ({ body, dip, rim }) => `${shadow(84)}
<ellipse cx="200" cy="120" rx="70" ry="64" fill="#ffe3a8" opacity=".35"/>
<path d="M200 92c-14 20-20 30-20 42a20 20 0 0 0 40 0c0-12-6-22-20-42Z" fill="#f4b54f"/><path d="M200 118c-6 9-9 13-9 19a9 9 0 0 0 18 0c0-6-3-10-9-19Z" fill="#fff3d0"/>
<path d="M200 150v24" stroke="#3b2c22" stroke-width="4"/>
<path d="M122 176h156l-6 110c-1 14-10 22-24 22h-96c-14 0-23-8-24-22Z" fill="${body}"/>
<ellipse cx="200" cy="176" rx="78" ry="14" fill="${rim}"/><ellipse cx="200" cy="177" rx="69" ry="10" fill="#f6ead2"/><ellipse cx="200" cy="176" rx="26" ry="4" fill="#ffdf9c"/>
<rect x="158" y="222" width="84" height="46" rx="3" fill="${dip}"/><path d="M172 238h56M180 252h40" stroke="#7a4a2b" stroke-width="3" stroke-linecap="round"/>`

export const pourOver: Shape = ({ body, dark, dip, rim, edge }) => `${shadow(92)}
<path d="M262 214c44-6 54 26 46 52-7 22-26 32-50 30" fill="none" stroke="${dark}" stroke-width="15" stroke-linecap="round"/>
<path d="M158 176h84c4 18 30 44 30 92 0 30-14 40-40 40h-64c-26 0-40-10-40-40 0-48 26-74 30-92Z" fill="${body}"/>
<path d="M130 250c30 16 58-6 88 2 20 5 38 6 53 0 2 40-10 56-39 56h-64c-30 0-42-18-38-58Z" fill="${dip}" opacity=".55"/>
<path d="M136 168h128v9c0 5-28 9-64 9s-64-4-64-9Z" fill="${edge}"/><ellipse cx="200" cy="168" rx="64" ry="10" fill="${rim}"/>
<path d="M118 74h164l-46 84c-3 6-8 8-14 8h-44c-6 0-11-2-14-8Z" fill="${body}"/>
<path d="M278 92c34-4 38 20 30 36-6 12-20 18-38 14" fill="none" stroke="${dark}" stroke-width="12" stroke-linecap="round"/>
<path d="M150 84l30 78M250 84l-30 78M200 86v78" stroke="#000" stroke-opacity=".12" stroke-width="4"/>
<path d="M118 74h164l-12 22c-26 12-42-8-72 0-26 7-46 8-67-1Z" fill="${dip}" opacity=".8"/>
<ellipse cx="200" cy="74" rx="82" ry="15" fill="${rim}"/><path d="M132 76c6-8 34-12 68-12s62 4 68 12c-10 6-36 10-68 10s-58-4-68-10Z" fill="#fbf7ee"/><ellipse cx="200" cy="79" rx="50" ry="6" fill="#4a3424"/>`
