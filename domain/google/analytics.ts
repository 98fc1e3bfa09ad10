import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'

/** Google's id of an account or property: only digits. */
export const GoogleId = Type.String({ pattern: '^[0-9]{1,20}$', maxLength: 20 })

/** A store's settings of Google Analytics (requirements 7.19). */
export const GaSettings = Type.Object({
  accountId: Maybe(Type.String()),
  propertyId: Maybe(Type.String()),
  /** The measurement ids of the property's web streams, in Google's order. */
  measurementIds: Type.Array(Type.String()),
  /** `enabled`: whether exposures are sent. `measurementId`: the stream that they go to. */
  enabled: Type.Boolean(),
  measurementId: Maybe(Type.String()),
  /** False after Google has revoked our access. The merchant must connect again. */
  connected: Type.Boolean(),
  /** Why the last exposures could not be sent; null when they could. */
  problem: Maybe(Type.String()),
})
export type GaSettings = Type.Static<typeof GaSettings>

export const GaAccount = Type.Object({
  accountId: Type.String(),
  name: Type.String(),
  properties: Type.Array(Type.Object({ propertyId: Type.String(), name: Type.String() })),
})
export type GaAccount = Type.Static<typeof GaAccount>

export const GaStream = Type.Object({
  measurementId: Type.String(),
  name: Type.String(),
  url: Type.String(),
})
export type GaStream = Type.Static<typeof GaStream>
