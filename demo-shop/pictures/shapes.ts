import { bowl, cupPair, mug, plate, smallPlate, tumbler, wideBowl } from './shapes-table.ts'
import {
  budVase,
  candle,
  jar,
  jug,
  kettle,
  moonVase,
  planter,
  pourOver,
  teapot,
} from './shapes-vessels.ts'
import { apron, board, napkins, runner, spatula, spoon, towel } from './shapes-flat.ts'
import type { Tone } from './tones.ts'

/**
 * A tone as a drawing uses it: `body` and `flat` are references to its gradients, across and down.
 */
export type Paint = Tone & { body: string; flat: string }
/** Draws one thing in a field of 400 × 400, standing at y = 308 around x = 200. */
export type Shape = (paint: Paint) => string

const at = (x: number, y: number, scale: number, drawing: string): string =>
  `<g transform="translate(${x} ${y}) scale(${scale})">${drawing}</g>`
/** A plate propped up behind, with a bowl and a mug in front of it. */
const breakfast: Shape = paint =>
  at(44, 40, 0.86, plate(paint)) +
  at(-14, 138, 0.56, wideBowl(paint)) +
  at(178, 154, 0.5, mug(paint))

export const shapes = {
  mug,
  tumbler,
  bowl,
  wideBowl,
  plate,
  smallPlate,
  cupPair,
  jug,
  teapot,
  kettle,
  jar,
  budVase,
  moonVase,
  planter,
  candle,
  pourOver,
  apron,
  towel,
  napkins,
  runner,
  spoon,
  spatula,
  board,
  breakfast,
} satisfies Record<string, Shape>
export type ShapeName = keyof typeof shapes
/** Things that hang on the wall have no shadow on the shelf. */
export const hanging: ReadonlySet<ShapeName> = new Set(['apron', 'towel', 'spoon', 'spatula'])
