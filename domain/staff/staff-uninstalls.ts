import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import {
  categoryKeys,
  type UninstallCategory,
  uninstallCategories,
} from '../stores/store-uninstall.ts'
import { StoreName } from './staff-list.ts'

/** Why and when a store left. */
export const StaffUninstall = Type.Object({
  at: Instant,
  /** Null while the uninstall is running, and when it failed. */
  finishedAt: Maybe(Instant),
  /** Null when the app was removed in the shop's admin, which asks for no reason. */
  category: Maybe(Type.Enum(categoryKeys)),
  reason: Maybe(Type.String()),
})
export type StaffUninstall = Type.Static<typeof StaffUninstall>

/** Uninstalls of the last thirty days: all of them by category, and the newest, newest first. */
export const StaffUninstalls = Type.Object({
  count: Type.Integer(),
  /** Without those that have no category. */
  categories: Type.Array(Type.Object({ category: Type.Enum(categoryKeys), count: Type.Integer() })),
  newest: Type.Array(Type.Object({ store: StoreName, ...StaffUninstall.properties })),
})
export type StaffUninstalls = Type.Static<typeof StaffUninstalls>

/** The choice of the merchant in words. */
export const uninstallWords = (category: UninstallCategory | null): string =>
  category === null
    ? 'Removed in the shop’s admin, without a reason'
    : uninstallCategories[category]
