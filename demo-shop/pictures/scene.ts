import { hanging, shapes, type Paint, type ShapeName } from './shapes.ts'
import { rooms, tones, type RoomName, type ToneName } from './tones.ts'

type Subject = { shape: ShapeName; tones: ToneName[] }

/**
 * The n-th picture of a thing, counted from 1: a front view for each tone, then a close-up, a group
 * and morning light; null after the last.
 */
export function drawPicture({ shape, tones: names }: Subject, n: number): string | null {
  const [first] = names as [ToneName, ...ToneName[]]
  const front = names[n - 1]
  if (front) return frame('warm', [front], draw(shape, 0))
  switch (n - names.length) {
    case 1:
      return frame(
        'clay',
        [first],
        `<g transform="translate(200 190) scale(1.75) translate(-178 -186)">${draw(shape, 0)}</g>`,
        { zoomed: true },
      )
    case 2:
      return frame('sage', names, group(shape, names.length))
    case 3:
      return frame('mist', [names.at(-1)!], draw(shape, 0), { light: true })
    default:
      return null
  }
}

/**
 * A wide still life of several things on one shelf, 960 × 520. `from`: the shelf stays empty up to
 * there, for text.
 */
export function drawStillLife(subjects: Subject[], room: RoomName, from = 0): string {
  const step = (960 - from) / subjects.length
  const things = subjects
    .map(
      ({ shape }, i) =>
        `<g transform="translate(${from + step * (i + 0.5) - 164} 134) scale(.82)">${draw(shape, i)}</g>`,
    )
    .join('')
  return frame(
    room,
    subjects.map(subject => subject.tones[0]!),
    `<g transform="translate(0 39)">${things}</g>`,
    { width: 960, height: 520, light: true },
  )
}

const draw = (shape: ShapeName, tone: number): string => {
  const painted = Object.fromEntries(
    ['dark', 'light', 'edge', 'dip', 'rim', 'inside'].map(part => [part, `var(--${part}${tone})`]),
  )
  return shapes[shape]({ ...painted, body: `url(#b${tone})`, flat: `url(#f${tone})` } as Paint)
}

function group(shape: ShapeName, count: number): string {
  // A single tone is drawn in three sizes.
  const places =
    count === 1
      ? [
          [-16, 0.52],
          [80, 0.76],
          [262, 0.42],
        ]
      : count === 2
        ? [
            [-8, 0.66],
            [172, 0.6],
          ]
        : [
            [-22, 0.5],
            [226, 0.5],
            [84, 0.58],
          ]
  const lift = (scale: number) =>
    hanging.has(shape) ? 76 - 60 * (scale - 0.42) : 308 * (1 - scale)
  return places
    .map(
      ([x, scale], i) =>
        `<g transform="translate(${x} ${lift(scale!)}) scale(${scale})">${draw(shape, Math.min(i, count - 1))}</g>`,
    )
    .join('')
}

function frame(
  roomName: RoomName,
  names: ToneName[],
  drawing: string,
  { width = 400, height = 400, light = false, zoomed = false } = {},
): string {
  const room = rooms[roomName]
  const shelf = zoomed ? height * 0.985 : height - 94
  const gradients = names
    .map((name, i) => {
      const { dark, light, edge } = tones[name]
      return `<linearGradient id="b${i}"><stop stop-color="${dark}"/><stop offset=".35" stop-color="${light}"/><stop offset="1" stop-color="${edge}"/></linearGradient>
<linearGradient id="f${i}" x2="1" y2="1"><stop stop-color="${light}"/><stop offset="1" stop-color="${dark}"/></linearGradient>`
    })
    .join('')
  // Colours are plain values: an SVG in an <img> gets no CSS of the page, and older renderers have
  // no custom properties.
  const painted = drawing.replace(
    /var\(--(\w+?)(\d+)\)/g,
    (_, part: 'dark', i: string) => tones[names[Number(i)]!][part],
  )
  const window = light
    ? `<path d="M${width * 0.08} 0h${width * 0.2}l${width * 0.26} ${shelf}h-${width * 0.22}ZM${width * 0.36} 0h${width * 0.14}l${width * 0.26} ${shelf}h-${width * 0.16}Z" fill="#fff" opacity=".28"/>`
    : ''
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width * 2}" height="${height * 2}"><defs>
<linearGradient id="w" x2="0" y2="1"><stop stop-color="${room.top}"/><stop offset="1" stop-color="${room.bottom}"/></linearGradient>${gradients}</defs>
<rect width="${width}" height="${height}" fill="url(#w)"/>${window}
<rect y="${shelf}" width="${width}" height="${height - shelf}" fill="${room.shelf}"/><rect y="${shelf}" width="${width}" height="8" fill="${room.edge}"/>
${painted.replaceAll('class="s"', `fill="${room.shadow}" opacity=".4"`)}</svg>`
}
