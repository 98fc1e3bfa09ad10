import * as Type from 'typebox'
import { Maybe } from '../api/call.ts'

/** Google's own numbers for an account or property: digits alone. */
export const GoogleId = Type.String({ pattern: '^[0-9]{1,20}$', maxLength: 20 })

/** What a store has settled with Google Analytics (requirements 7.19). */
export const GaSettings = Type.Object({
  accountId: Maybe(Type.String()),
  propertyId: Maybe(Type.String()),
  /** Of the property's web streams, as Google lists them. */
  measurementIds: Type.Array(Type.String()),
  /** Whether exposures are sent, and to which of the streams. */
  enabled: Type.Boolean(),
  measurementId: Maybe(Type.String()),
  /** False once Google has taken our access back; connecting again restores it. */
  connected: Type.Boolean(),
  /** Why the last exposures could not be sent, while that is so. */
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
