import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { templateTypes } from './template.ts'

/** A theme of the shop. One is live; a theme test's variant is another. */
export const Theme = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['live', 'unpublished']),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Theme = Type.Static<typeof Theme>

/** A template that a theme lacks though pages of the shop need it. */
export const MissingTemplate = Type.Object({
  type: Type.Enum([...templateTypes]),
  suffix: Type.String(),
  /** How many products, collections, pages, blogs or articles are assigned to it, and the first of them by title. */
  assignedCount: Type.Integer(),
  titles: Type.Array(Type.String()),
})
export type MissingTemplate = Type.Static<typeof MissingTemplate>

export const ThemeCompatibility = Type.Object({
  isCompatible: Type.Boolean(),
  /** Its files are those of the live theme: a test between the two can find nothing. */
  isSameAsLive: Type.Boolean(),
  missing: Type.Array(MissingTemplate),
  /** In words, where it is not: "Harbour lacks templates that 12 products use." */
  message: Maybe(Type.String()),
  checkedAt: Instant,
})
export type ThemeCompatibility = Type.Static<typeof ThemeCompatibility>
