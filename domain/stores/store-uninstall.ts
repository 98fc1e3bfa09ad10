import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import type { Posted } from '../posted.ts'
import type { Parsed } from './store-form.ts'

/** Why a merchant leaves: category → display name, in the order of the form. */
export const uninstallCategories = {
  price: 'It costs too much',
  traffic: 'We have too few visitors to test',
  results: 'Our tests found nothing',
  missing: 'Something we need is missing',
  difficult: 'It is hard to use',
  performance: 'It slows our shop down',
  bug: 'Something does not work',
  competitor: 'We use another product',
  temporary: 'We will be back later',
  closing: 'We are closing the shop',
  other: 'Something else',
} as const
export type UninstallCategory = keyof typeof uninstallCategories

export const categoryKeys = Object.keys(uninstallCategories) as UninstallCategory[]
export const longestReason = 2000

/** The last uninstall, by the merchant or by the platform. */
export const LastUninstall = Type.Object({
  by: Type.Enum(['merchant', 'platform']),
  /** The job that uninstalls; null when the platform did it. */
  jobId: Maybe(Type.String()),
  category: Maybe(Type.Enum(categoryKeys)),
  reason: Maybe(Type.String()),
  requestedAt: Instant,
  /** Null while the job is running, and when it failed. */
  finishedAt: Maybe(Instant),
  /** What stayed in the shop, in words. */
  kept: Type.Array(Type.String()),
  /** Titles of applied tests whose changes only the script showed. Shoppers no longer see them. */
  ended: Type.Array(Type.String()),
})
export type LastUninstall = Type.Static<typeof LastUninstall>

/** Reads the posted form. Browsers send line ends as CRLF. */
export function parseUninstall(
  posted: Posted,
): Parsed<{ category: UninstallCategory; reason: string }> {
  const category = categoryKeys.find(key => key === posted['category'])
  const reason = String(posted['reason'] ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
  const problems = [
    ...(category ? [] : [{ field: 'category', message: 'Choose why you are leaving.' }]),
    ...(reason.length > longestReason
      ? [
          {
            field: 'reason',
            message: `Keep it to ${longestReason} characters; these are ${reason.length}.`,
          },
        ]
      : []),
  ]
  return category && problems.length === 0
    ? { value: { category, reason }, problems: [] }
    : { value: null, problems }
}
