import * as Type from 'typebox'
import { beaconLimits, eventKinds } from './event.ts'

const Id = Type.String({ minLength: 8, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })
// Text in the database cannot contain NUL, so the schema refuses it.
const noNul = '^[^\\u0000]*$'
const Path = Type.String({ minLength: 1, maxLength: 2048, pattern: noNul })

const Vital = Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))

/** The body of a request to the collector. Unknown fields are refused. */
export const BeaconInput = Type.Object(
  {
    v: Type.Literal(1),
    shop: Type.String({ minLength: 1, maxLength: 255, pattern: noNul }),
    visitor: Id,
    session: Id,
    sent: Type.Integer({ minimum: 0 }),
    isNew: Type.Boolean(),
    landing: Type.String({ maxLength: 2048, pattern: noNul }),
    referrer: Type.String({ maxLength: 2048, pattern: noNul }),
    consent: Type.Optional(Type.Literal(true)),
    tests: Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' }),
      Type.Tuple([
        Type.Union([Type.Literal(0), Type.Literal(1)]),
        Type.Integer({ minimum: 0, maximum: 7 }),
      ]),
      { maxProperties: beaconLimits.tests },
    ),
    events: Type.Array(
      Type.Object(
        {
          id: Id,
          at: Type.Integer({ minimum: 0 }),
          kind: Type.Enum([...eventKinds]),
          path: Path,
          tests: Type.Optional(Type.Array(Id, { maxItems: beaconLimits.tests })),
          product: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
          vitals: Type.Optional(
            Type.Object({ lcp: Vital, cls: Vital, inp: Vital }, { additionalProperties: false }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: beaconLimits.events },
    ),
  },
  { additionalProperties: false },
)
