import * as Type from 'typebox'
import { pixelLimits } from './pixel.ts'

/** The body of a message of the checkout pixel. Unknown fields are refused. */
export const PixelInput = Type.Object(
  {
    v: Type.Literal(1),
    shop: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
    visitor: Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' }),
    order: Type.String({ pattern: '^[A-Za-z0-9_:/.-]{1,64}$' }),
    consent: Type.Literal(true),
    tests: Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' }),
      Type.Union([Type.Literal(0), Type.Literal(1)]),
      { maxProperties: pixelLimits.tests },
    ),
  },
  { additionalProperties: false },
)
